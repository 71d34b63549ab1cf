import {
  ok,
  refuse,
  type Clock,
  type Connection,
  type ConnectWay,
  type Manifest,
  type Reading,
  type Connections,
  type Result,
  type SessionFailureCode,
  type Transactions,
} from '@switchboard/domain';
import { needsReauth, sealNext, type Opened, type OpenFailureCode } from './credential-store.js';
import { lapse } from './lapse.js';
import type { Renewed, Scheme } from './scheme.js';

export interface RenewalDeps {
  readonly connections: Reading<Connections>;
  readonly transactions: Transactions;
  readonly clock: Clock;
  readonly newRequestId: () => string;
  open(connection: Connection, scheme: Scheme): Promise<Result<Opened, OpenFailureCode>>;
}

export interface Grantee {
  readonly connection: Connection;
  readonly manifest: Manifest;
  readonly way: ConnectWay;
  readonly scheme: Scheme;
}

/** Longer than any renewal may take, so that a slow answer still finds its lease. */
const LEASE_SECONDS = 45;
const WAIT_MS = 50_000;
const POLL_MS = { first: 100, longest: 1_000 } as const;
const STORE_ATTEMPTS = 6;

/**
 * Renews a login: one flight a connection in this process, one lease among all of them. What comes back is stored before
 * anybody uses it; whoever does not hold the lease waits until the stored generation moves.
 */
export function renewals(deps: RenewalDeps) {
  const flights = new Map<string, Promise<Result<Opened, SessionFailureCode>>>();
  const { clock, transactions } = deps;

  /** A login newer than generation `seen`. */
  return function renew(grantee: Grantee, seen: number): Promise<Result<Opened, SessionFailureCode>> {
    const key = `${grantee.connection.id} ${seen}`;
    const flying = flights.get(key);
    if (flying) return flying;
    const flight = fly(grantee, seen).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };

  async function fly(grantee: Grantee, seen: number): Promise<Result<Opened, SessionFailureCode>> {
    const { connection, manifest, scheme } = grantee;
    const until = clock.now().getTime() + WAIT_MS;
    for (
      let pause: number = POLL_MS.first;
      clock.now().getTime() < until;
      pause = Math.min(pause * 2, POLL_MS.longest)
    ) {
      const stored = await deps.open(connection, scheme);
      if (!stored.ok || stored.value.generation > seen) return stored;
      const current = await deps.connections.find(connection.workspaceId, connection.id);
      if (!current || current.status === 'needs_reauth') return needsReauth();
      const fence = await claim(connection, stored.value.generation);
      if (fence !== null) {
        const settled = await hold(grantee, current, stored.value, fence);
        if (settled) return settled;
      } else {
        await clock.sleep(pause);
      }
    }
    return refuse(
      'platform.unavailable',
      `The login at ${manifest.name} is being renewed. Try again shortly.`,
    );
  }

  async function claim({ id }: Connection, generation: number): Promise<number | null> {
    const claimed = await transactions.run(async (tx) =>
      ok(await tx.credentials.claim(id, generation, LEASE_SECONDS)),
    );
    return claimed.ok ? claimed.value : null;
  }

  /** Null: somebody else's newer login stands; look again. */
  async function hold(
    { manifest, way, scheme }: Grantee,
    connection: Connection,
    before: Opened,
    fence: number,
  ): Promise<Result<Opened, SessionFailureCode> | null> {
    const { id, workspaceId, profileId } = connection;
    let renewed: Renewed;
    try {
      renewed = await scheme.renew({ workspaceId, profileId, manifest, way, credential: before.secret });
    } catch (error) {
      await release(connection, fence);
      throw error;
    }
    if (renewed.kind === 'renewed') return store(connection, scheme, before, renewed, fence);
    if (renewed.kind === 'failed') {
      await release(connection, fence);
      return { ok: false, failure: renewed.failure };
    }
    await lapse(
      transactions,
      { id, workspaceId },
      before.generation,
      'grant_ended',
      deps.newRequestId(),
      fence,
    );
    return needsReauth();
  }

  async function store(
    connection: Connection,
    scheme: Scheme,
    before: Opened,
    renewed: Extract<Renewed, { kind: 'renewed' }>,
    fence: number,
  ): Promise<Result<Opened, SessionFailureCode> | null> {
    const next = sealNext(connection, before, renewed.credential, renewed.accessExpiresAt);
    const stored = await insist(() =>
      transactions.run(async (tx) => {
        if (!(await tx.credentials.renew(next, fence))) return ok(false);
        if (!sameSet(renewed.permissions, connection.grantedPermissions)) {
          await tx.connections.update(connection.workspaceId, connection.id, {
            grantedPermissions: renewed.permissions,
          });
        }
        return ok(true);
      }),
    );
    if (!stored.ok || !stored.value) return null;
    const { vault } = before;
    const { generation } = next;
    return ok({ generation, vault, secret: renewed.credential, line: scheme.open(renewed.credential) });
  }

  /** The old refresh token is spent, so that a database which is away for a moment must not cost the login. */
  async function insist<Value>(work: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt === STORE_ATTEMPTS) throw error;
        await clock.sleep(100 * 2 ** attempt);
      }
    }
  }

  async function release({ id }: Connection, fence: number): Promise<void> {
    await transactions.run(async (tx) => {
      await tx.credentials.release(id, fence);
      return ok();
    });
  }
}

const sameSet = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((each) => right.includes(each));
