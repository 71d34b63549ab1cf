import { afterAll, expect, test } from '@jest/globals';
import { Secret, type Call, type FailureCode, type Result } from '@switchboard/domain';
import {
  createKey,
  unrestrictedPolicy,
  revokeKey,
  rotateKey,
  startOfDay,
  updateKey,
  formatKey,
  type ApiKey,
  type RefundCeiling,
} from '@switchboard/domain/access';
import { formatOrderId } from '@switchboard/domain/orders';
import type { AtomicPorts, KeyHasher } from '@switchboard/domain/ports';
import { refundOrder, resolveRefund, sendRefund } from '@switchboard/domain/refunds';
import {
  advanceableClock,
  countedIds,
  memoryStore,
  remoteOrder,
  repetitions,
  seededRandom,
  createStoreFixture,
  type RefundFault,
} from '@switchboard/domain/testing';
import { openDatabase, prismaRepositories, prismaTransactions, type Database } from './index.js';
import { testDatabase } from './testing.js';

/**
 * The number of random key trees, and their seed: `KEY_TREES=500 KEY_TREES_SEED=7 pnpm run test key-trees`.
 */
const TREES = Number(process.env['KEY_TREES'] ?? repetitions({ few: 5, many: 200 }));
const SEED = Number(process.env['KEY_TREES_SEED'] ?? 20_261_122);
const CURRENCIES = ['EUR', 'USD'] as const;

const clock = advanceableClock();

const opened: Database[] = [];
afterAll(() => Promise.all(opened.map((database) => database.close())));

let forged = 0;
const keyHasher: KeyHasher = {
  generate() {
    const publicId = String(++forged).padStart(12, '0');
    return { token: new Secret(formatKey(publicId, 'x'.repeat(43))), publicId, hash: new Uint8Array(32) };
  },
  matches: () => {
    throw new Error('not asked here');
  },
};

/** A store, with its keys and refunds in PostgreSQL, accessed through the pools of two processes. */
async function twoProcesses() {
  const s = createStoreFixture(clock);
  const store = memoryStore({ clock, acceptsOverRefunds: true, latencyMs: 1 });
  const connection = s.connect(store);
  const url = await testDatabase('key_trees');
  const ids = countedIds(clock);
  const processes = [1, 2].map(() => {
    const database = openDatabase(url, { max: 8 });
    opened.push(database);
    const { refunds, apiKeys } = prismaRepositories(database.prisma);
    const jobsIn = () => ({ enqueue: () => Promise.resolve() });
    const transactions = prismaTransactions(database.prisma, { ids, clock, jobsIn });
    return { ...s.ports, ids, keyHasher, refunds, apiKeys, transactions };
  });
  const [one, two] = processes as [(typeof processes)[number], (typeof processes)[number]];
  const seeded = await one.transactions.run(async (tx) => {
    await tx.workspaces.insert(s.workspace);
    await tx.profiles.insert(s.profile);
    await tx.connections.insert(connection);
    return { ok: true, value: undefined };
  });
  if (!seeded.ok) throw new Error(seeded.failure.code);
  return { s, store, connection, one, two };
}

type World = Awaited<ReturnType<typeof twoProcesses>>;

/**
 * One tree of keys under a key with ceilings. The charges per ceiling are tallied independently of the
 * product: the ceilings of a member and of all its ancestors cover every key that the member creates or
 * rotates.
 */
async function growTree(world: World, seed: number): Promise<Tally> {
  const { s, store, connection, one, two } = world;
  const random = seededRandom(seed);
  const member = new Map<string, { readonly lineage: string; readonly coveredBy: ReadonlySet<string> }>();
  /** The widest ceiling that a lineage ever had, by lineage and currency. */
  const widest = new Map<string, RefundCeiling>();
  const tally: Tally = {
    created: 0,
    rotated: 0,
    revoked: 0,
    narrowed: 0,
    refunds: 0,
    resolved: 0,
    effects: 0,
  };

  const note = ({ lineage, policy }: Pick<ApiKey, 'lineage' | 'policy'>) => {
    for (const ceiling of policy.refundCeilings ?? []) {
      const before = widest.get(`${lineage} ${ceiling.currency}`);
      widest.set(`${lineage} ${ceiling.currency}`, {
        currency: ceiling.currency,
        perRefundMinor: Math.max(ceiling.perRefundMinor, before?.perRefundMinor ?? 0),
        perDayMinor: Math.max(ceiling.perDayMinor, before?.perDayMinor ?? 0),
      });
    }
  };
  const enter = (key: ApiKey, coveredBy: Iterable<string>) => {
    member.set(key.id, { lineage: key.lineage, coveredBy: new Set([key.lineage, ...coveredBy]) });
    note(key);
  };
  const randomCeilings = (): RefundCeiling[] =>
    CURRENCIES.filter(() => random.next() < 0.85).map((currency) => {
      const perRefundMinor = random.int(2, 5) * 100;
      return { currency, perRefundMinor, perDayMinor: random.int(perRefundMinor / 100, 7) * 100 };
    });

  // With the wider one, the ceilings of the children are reached first.
  const rootPerDayMinor = random.pick([900, 4000]);
  const made = await atomically(one, (ports) =>
    createKey(
      ports,
      { ...s.call(s.key()), actor: { kind: 'system', name: 'operator' } },
      {
        name: 'root',
        scopes: ['keys:admin', 'refunds:write'],
        policy: {
          ...unrestrictedPolicy,
          refundCeilings: CURRENCIES.map((currency) => ({
            currency,
            perRefundMinor: 500,
            perDayMinor: rootPerDayMinor,
          })),
        },
      },
    ),
  );
  if (!made.ok) throw new Error(made.failure.code);
  enter(made.value.key, []);

  /** A call by a random key of the tree that authentication would still accept. */
  async function randomCall(ports: Process): Promise<{ key: ApiKey; call: Call } | null> {
    const id = random.pick([...member.keys()]);
    const key = await ports.apiKeys.find(s.workspace.id, id as ApiKey['id']);
    if (!key || key.revokedAt || (key.policy.expiresAt && key.policy.expiresAt <= clock.now())) return null;
    return { key, call: s.call(key, { waitSeconds: random.int(0, 1) }) };
  }
  const coversOf = (key: ApiKey) => member.get(key.id)?.coveredBy ?? [];

  const acts = {
    async create(ports: Process) {
      const by = await randomCall(ports);
      if (!by) return;
      const policy = {
        refundCeilings: random.next() < 0.5 ? randomCeilings() : by.key.policy.refundCeilings,
      };
      const created = await atomically(ports, (tx) =>
        createKey(tx, by.call, { name: 'child', scopes: ['keys:admin', 'refunds:write'], policy }),
      );
      if (!created.ok) return;
      enter(created.value.key, coversOf(by.key));
      tally.created++;
    },
    async rotate(ports: Process) {
      const by = await randomCall(ports);
      if (!by) return;
      const id = random.pick([...member.keys()]);
      const rotated = await atomically(ports, (tx) =>
        rotateKey(tx, by.call, { id, overlapSeconds: random.pick([0, 3600]) }),
      );
      if (!rotated.ok) return;
      enter(rotated.value.key, [...(member.get(id)?.coveredBy ?? []), ...coversOf(by.key)]);
      tally.rotated++;
    },
    async revoke(ports: Process) {
      const by = await randomCall(ports);
      // Most keys of the tree are kept, so that it grows.
      if (!by || member.size < 4 || random.next() < 0.5) return;
      const id = random.pick([...member.keys()].slice(1));
      const revoked = await atomically(ports, (tx) => revokeKey(tx, by.call, { id }));
      if (revoked.ok) tally.revoked++;
    },
    async narrow(ports: Process) {
      const by = await randomCall(ports);
      if (!by) return;
      const id = random.pick([...member.keys()]);
      const policy = { refundCeilings: randomCeilings() };
      const changed = await atomically(ports, (tx) => updateKey(tx, by.call, { id, policy }));
      if (!changed.ok) return;
      note(changed.value);
      tally.narrowed++;
    },
    async refund(ports: Process) {
      const by = await randomCall(ports);
      if (!by) return;
      const currency = random.pick(CURRENCIES);
      const orderExternalId = `so_${seed}_${random.int(1, 40)}_${currency}`;
      if (!store.orders.has(orderExternalId))
        store.put(remoteOrder({ externalId: orderExternalId }, currency));
      if (random.next() < 0.6) store.faults.push(random.pick(FAULTS));
      const refunded = await refundOrder(ports, by.call, {
        orderId: formatOrderId({ connectionId: connection.id, externalId: orderExternalId }),
        amount: `${random.int(1, 3)}.00`,
        allowDuplicate: true,
      });
      if (refunded.ok) tally.refunds++;
    },
    async resolve(ports: Process) {
      const by = await randomCall(ports);
      if (!by) return;
      const open = (await listRefunds()).filter(
        ({ status }) => status !== 'succeeded' && status !== 'failed',
      );
      if (open.length === 0) return;
      const resolved = await resolveRefund(ports, by.call, {
        refundId: random.pick(open).id,
        outcome: random.next() < 0.8 ? 'failed' : 'succeeded',
      });
      if (resolved.ok) tally.resolved++;
    },
  };

  const listRefunds = async () => {
    const page = await one.refunds.list(s.workspace.id, { reach: null }, { limit: 100 });
    return page.items.filter(({ createdBy }) => member.has(createdBy));
  };

  const expectCeilingsToHold = async () => {
    const refunds = new Map((await listRefunds()).map((refund) => [refund.id as string, refund]));
    const moved = new Map<string, number>();
    let effects = 0;
    for (const { reference, status, amount } of store.refunds) {
      if (reference === null) continue;
      const refund = refunds.get(reference);
      if (!refund || status === 'failed') continue;
      effects++;
      const { lineage, coveredBy } = member.get(refund.createdBy) ?? {
        lineage: '',
        coveredBy: new Set<string>(),
      };
      expect(coveredBy).toContain(lineage);
      for (const cover of coveredBy) {
        const ceiling = widest.get(`${cover} ${amount.currency}`);
        expect(amount.amountMinor).toBeLessThanOrEqual(ceiling?.perRefundMinor ?? 0);
        const day = `${cover} ${amount.currency} ${startOfDay(refund.createdAt).toISOString()}`;
        moved.set(day, (moved.get(day) ?? 0) + amount.amountMinor);
        expect(moved.get(day)).toBeLessThanOrEqual(ceiling?.perDayMinor ?? 0);
      }
    }
    tally.effects = effects;
  };

  for (let turn = 0; turn < 12; turn++) {
    store.switches.findFails = random.next() < 0.7;
    store.switches.getFails = random.next() < 0.1;
    await Promise.all(
      Array.from({ length: random.int(2, 10) }, (_, n) => {
        const act = random.pick(turn < 3 ? GROWTH : USE);
        return acts[act](n % 2 === 0 ? one : two);
      }),
    );
    clock.advance(random.pick([0, 0, 1, 1, 1, 16, 40, 5 * 60]) * 60_000);
    if (random.next() < 0.3) store.switches.findFails = false;
    const unsettled = await one.refunds.listUnsettled(50);
    await Promise.all(
      unsettled.map(({ id, workspaceId }, n) => sendRefund(n % 2 === 0 ? one : two, workspaceId, id)),
    );
    await expectCeilingsToHold();
  }
  store.faults.length = 0;
  store.switches.findFails = false;
  store.switches.getFails = false;
  return tally;
}

type Process = World['one'];

interface Tally {
  created: number;
  rotated: number;
  revoked: number;
  narrowed: number;
  refunds: number;
  resolved: number;
  effects: number;
}

const GROWTH = ['create', 'create', 'create', 'rotate', 'refund'] as const;
const USE = [
  ...(['create', 'rotate', 'revoke', 'narrow', 'resolve', 'resolve'] as const),
  ...(['refund', 'refund', 'refund', 'refund', 'refund', 'refund'] as const),
];

const FAULTS: readonly RefundFault[] = [
  'unreachable',
  'lost-before',
  'lost-after',
  'lost-after',
  'lost-after',
  'garbage-after',
  'throws-after',
  'refuse',
  'unclear',
];

/** As dispatch runs an atomic operation: in one transaction, which a failure rolls back. */
const atomically = <Value, Code extends FailureCode>(
  process: Process,
  work: (ports: AtomicPorts) => Promise<Result<Value, Code>>,
) => process.transactions.run<Value, Code>((tx) => work({ ...process, ...tx }));

test(`findings 2 and 3: no tree of keys moves more than the ceilings of any of its keys, in ${TREES} random trees`, async () => {
  const world = await twoProcesses();
  const total: Tally = {
    created: 0,
    rotated: 0,
    revoked: 0,
    narrowed: 0,
    refunds: 0,
    resolved: 0,
    effects: 0,
  };
  for (let n = 0; n < TREES; n++) {
    const seed = SEED + n * 7919;
    try {
      const tally = await growTree(world, seed);
      for (const name of Object.keys(total) as (keyof Tally)[]) total[name] += tally[name];
    } catch (error) {
      throw new Error(`the tree of seed ${seed}`, { cause: error });
    }
  }
  // A tree without refunds would prove nothing. How many changes are refused depends on their order.
  const counts: readonly number[] = Object.values(total);
  expect([total, counts.every((count) => count > TREES / 4)]).toEqual([total, true]);
}, 3_600_000);
