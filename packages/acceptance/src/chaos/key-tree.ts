import { setTimeout as sleep } from 'node:timers/promises';
import { formatAmount } from '@switchboard/domain';
import type { Random } from '@switchboard/sandbox';
import { asText, type JsonObject } from '../support/json.js';
import type { RestClient } from '../support/rest-client.js';

/** The daily refund ceiling of a key (UTC), in minor units, by currency. */
export type DailyCeilings = ReadonlyMap<string, number>;

/** One lineage: a key and the keys it was rotated into. */
interface KeyTreeMember {
  readonly lineage: string;
  readonly keyId: string;
  readonly token: string;
  /**
   * The lineages whose ceilings the lineage's refunds count against: itself, and those of the keys that
   * created or rotated it.
   */
  readonly coveredBy: ReadonlySet<string>;
  readonly ceilings: DailyCeilings;
}

/**
 * A tree of keys below one root key, with refund ceilings on the keys that may refund, grown only with
 * operations available to the holder of the root key: six keys over four generations, plus children and
 * rotations added while the callers run. The tree independently records which refunds count against which
 * ceiling.
 */
export interface KeyTree {
  /** The current token of a member. The first `FIRST_MEMBERS` members keep their lineage. */
  tokenOf(index: number): string;
  size(): number;
  /** By key ID: the lineages whose ceilings its refunds count against. */
  readonly coveredBy: ReadonlyMap<string, ReadonlySet<string>>;
  readonly ceilingsOf: ReadonlyMap<string, DailyCeilings>;
  readonly counts: { created: number; rotated: number };
  /** Creates children and rotates keys with keys of the tree until `quiet` is aborted. */
  grow(random: Random, quiet: AbortSignal): Promise<void>;
}

export const FIRST_MEMBERS = 6;
/** The creators of the second to sixth member. */
const PARENTS = [0, 0, 1, 1, 3];
const GROW_MS = 3000;
const MEMBERS_MAX = 40;

/**
 * `operator` holds an unrestricted key. `clientOf` calls a process that is not killed, so that the tree
 * learns of every created key. All keys have these scopes in addition to `keys:admin`.
 */
export async function createKeyTree(
  operator: RestClient,
  clientOf: (token: string) => RestClient,
  scopes: readonly string[],
  ceilings: DailyCeilings = new Map(),
): Promise<KeyTree> {
  const members: KeyTreeMember[] = [];
  const coveredBy = new Map<string, ReadonlySet<string>>();
  const ceilingsOf = new Map<string, DailyCeilings>();
  const counts = { created: 0, rotated: 0 };
  const setMember = (at: number, member: KeyTreeMember) => {
    members[at] = member;
    coveredBy.set(member.keyId, member.coveredBy);
    ceilingsOf.set(member.lineage, member.ceilings);
  };

  /**
   * Returns false when no key was returned: the database may be down, and no caller then knows of a key that
   * was created.
   */
  async function create(client: RestClient, by: KeyTreeMember | null, own: DailyCeilings): Promise<boolean> {
    const answer = await client.post('/keys', {
      name: 'chaos',
      scopes: ['keys:admin', ...scopes],
      ...(own.size > 0 && { policy: { refund_ceilings: [...own].map(toCeilingInput) } }),
    });
    if (answer.status !== 201) return false;
    const createdKey = answer.json;
    const id = asText(createdKey['id']);
    const covering = new Set([id, ...(by?.coveredBy ?? [])]);
    setMember(members.length, {
      lineage: id,
      keyId: id,
      token: asText(createdKey['secret']),
      coveredBy: covering,
      ceilings: own,
    });
    if (by) counts.created += 1;
    return true;
  }

  async function rotate(by: KeyTreeMember, at: number): Promise<void> {
    const old = members[at] as KeyTreeMember;
    const answer = await clientOf(by.token).post(`/keys/${old.keyId}/rotate`, { overlap_seconds: 3600 });
    // A narrower key may not rotate a wider one, and the database may be down.
    if (answer.status !== 201) return;
    setMember(at, {
      ...old,
      keyId: asText(answer.json['id']),
      token: asText(answer.json['secret']),
      coveredBy: new Set([...old.coveredBy, ...by.coveredBy]),
    });
    counts.rotated += 1;
  }

  const scaleCeilings = (of: DailyCeilings, share: number): DailyCeilings =>
    new Map([...of].map(([currency, minor]) => [currency, Math.floor(minor * share)]));
  if (!(await create(operator, null, ceilings))) throw new Error('the root of the tree was not created');
  for (const parent of PARENTS) {
    const by = members[parent] as KeyTreeMember;
    const created = await create(clientOf(by.token), by, scaleCeilings(by.ceilings, 0.7));
    if (!created) throw new Error('a key of the tree was not created');
  }
  return {
    tokenOf: (index) => (members[index % members.length] as KeyTreeMember).token,
    size: () => members.length,
    coveredBy,
    ceilingsOf,
    counts,
    async grow(random, quiet) {
      while (await sleep(GROW_MS, true, { signal: quiet }).catch(() => false)) {
        const by = random.pick(members);
        if (members.length < MEMBERS_MAX && random.chance(0.5)) {
          await create(clientOf(by.token), by, by.ceilings);
        } else {
          await rotate(by, random.int(0, members.length - 1));
        }
      }
    },
  };
}

const toCeilingInput = ([currency, minor]: [string, number]): JsonObject => {
  const amount = formatAmount({ amountMinor: minor, currency });
  return { currency, per_refund: amount, per_day: amount };
};
