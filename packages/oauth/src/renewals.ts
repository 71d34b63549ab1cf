import { randomInt } from 'node:crypto';
import {
  applyReceipt,
  ok,
  refuse,
  reviewStanding,
  settleReceipts,
  type AttemptId,
  type Clock,
  type Connection,
  type Connections,
  type ConnectWay,
  type Ids,
  type Manifest,
  type Manifests,
  type Reading,
  type RenewalClaim,
  type RenewalEnding,
  type Result,
  type SessionFailureCode,
  type Transactions,
} from '@switchboard/domain';
import { needsReauth, receiptOf, sealedAnew, type Opened, type OpenFailureCode } from './credential-store.js';
import { lapse } from './lapse.js';
import type { Renewed, Scheme } from './scheme.js';

export interface RenewalDeps {
  readonly connections: Reading<Connections>;
  readonly transactions: Transactions;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly manifests: Manifests;
  /** Told of every answer of a token endpoint, and of every one that was found again. */
  readonly onRenewal?: ((platform: string, outcome: RenewalOutcome) => void) | undefined;
  open(connection: Connection, scheme: Scheme): Promise<Result<Opened, OpenFailureCode>>;
}

export type RenewalOutcome = 'renewed' | 'recovered' | 'failed' | 'ended';

export interface Grantee {
  readonly connection: Connection;
  readonly manifest: Manifest;
  readonly way: ConnectWay;
  readonly scheme: Scheme;
}

/**
 * How much hangs on it. `soon`: the present token works, so nobody waits for anybody. `ended`: its time is over. `refused`:
 * the platform does not accept it, although its time is not over.
 */
export type Urgency = 'soon' | 'ended' | 'refused';

/** Longer than any renewal may take, so that a slow answer still finds its lease. */
const LEASE_SECONDS = 45;
const WAIT_MS = 50_000;
const POLL_MS = { first: 100, longest: 1_000 } as const;
const STORE_ATTEMPTS = 8;
const REST_SECONDS = { first: 5, longest: 900, asked: 3_600 } as const;
const ACTOR = 'system:sessions';

type Lease = Extract<RenewalClaim, { kind: 'claimed' }>;

/**
 * Renews a login: one flight a connection in this process, one lease among all of them. What comes back is written down before
 * anything else is done with it and stored before anybody uses it; whoever does not hold the lease waits until the stored
 * generation moves.
 */
export function renewals(deps: RenewalDeps) {
  const flights = new Map<string, Promise<Result<Opened, SessionFailureCode>>>();
  const { clock, ids, transactions } = deps;
  const told = deps.onRenewal ?? (() => undefined);
  const by = () => ({ actor: ACTOR, requestId: ids.next('req') });

  /** A login newer than generation `seen`. */
  return function renew(
    grantee: Grantee,
    seen: number,
    urgency: Urgency,
  ): Promise<Result<Opened, SessionFailureCode>> {
    const key = `${grantee.connection.id} ${seen} ${urgency}`;
    const flying = flights.get(key);
    if (flying) return flying;
    const flight = fly(grantee, seen, urgency).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };

  async function fly(
    grantee: Grantee,
    seen: number,
    urgency: Urgency,
  ): Promise<Result<Opened, SessionFailureCode>> {
    const { connection, manifest, scheme } = grantee;
    const until = clock.now().getTime() + WAIT_MS;
    for (let pause: number = POLL_MS.first; ;) {
      const stored = await deps.open(connection, scheme);
      if (!stored.ok || stored.value.generation > seen) return stored;
      const current = await deps.connections.find(connection.workspaceId, connection.id);
      if (!current || current.status === 'needs_reauth') return needsReauth();
      if (clock.now().getTime() >= until) return busy(manifest);
      const claim = await claimOrRecover(grantee, stored.value.generation, urgency);
      if (claim.kind === 'claimed') {
        const failure = await hold({ ...grantee, connection: current }, stored.value, claim);
        if (failure) return { ok: false, failure };
      } else if (claim.kind === 'resting') {
        return busy(manifest, claim.seconds);
      } else if (claim.kind === 'held') {
        if (urgency === 'soon') return busy(manifest);
        await clock.sleep(pause);
        pause = Math.min(pause * 2, POLL_MS.longest);
      }
    }
  }

  /** What another attempt received and did not bring to its place comes before any new one. */
  async function claimOrRecover(
    { connection: { id, workspaceId }, manifest }: Grantee,
    generation: number,
    urgency: Urgency,
  ): Promise<(RenewalClaim & { attempt: AttemptId }) | { readonly kind: 'recovered' }> {
    const attempt = ids.next('att');
    const claimed = await transactions.run<RenewalClaim | null, never>(async (tx) => {
      if (await applyReceipt(deps, tx, { workspaceId, connectionId: id }, by())) return ok(null);
      const wanted = { connectionId: id, generation, attempt, leaseSeconds: LEASE_SECONDS };
      return ok(await tx.credentials.claim({ ...wanted, refused: urgency === 'refused' }));
    });
    if (!claimed.ok) return { kind: 'held', attempt };
    if (claimed.value) return { ...claimed.value, attempt };
    told(manifest.id, 'recovered');
    return { kind: 'recovered' };
  }

  /** Null when there is something new: look again. */
  async function hold(
    grantee: Grantee,
    before: Opened,
    lease: Lease & { attempt: AttemptId },
  ): Promise<Extract<Renewed, { kind: 'failed' }>['failure'] | null> {
    const { connection, manifest, way, scheme } = grantee;
    const { workspaceId, profileId } = connection;
    let renewed: Renewed;
    try {
      renewed = await scheme.renew({ workspaceId, profileId, manifest, way, credential: before.secret });
    } catch (error) {
      await release(connection, lease, { restSeconds: restOf(lease.failures), unsettled: true });
      throw error;
    }
    if (renewed.kind === 'renewed') {
      await keep(grantee, before, renewed, lease.attempt);
      told(manifest.id, 'renewed');
      return null;
    }
    if (renewed.kind === 'failed') {
      const { failure, unsettled } = renewed;
      await release(connection, lease, {
        restSeconds: Math.max(restOf(lease.failures), asked(failure.retryAfterSeconds)),
        unsettled: unsettled || lease.unsettled,
      });
      if (failure.code === 'platform.not_configured') await tellAppMissing(grantee, before);
      told(manifest.id, 'failed');
      return failure;
    }
    if (await fallBack(connection, before)) {
      told(manifest.id, 'recovered');
      return null;
    }
    const reason = lease.unsettled ? 'refresh_lost' : 'grant_ended';
    const { fence } = lease;
    await lapse(deps, connection, {
      generation: before.generation,
      reason,
      fence,
      requestId: by().requestId,
    });
    told(manifest.id, 'ended');
    return null;
  }

  /** The receipt is a statement of its own and nothing refuses it; putting it in its place may be done by anybody later. */
  async function keep(
    { connection }: Grantee,
    before: Opened,
    renewed: Extract<Renewed, { kind: 'renewed' }>,
    attempt: AttemptId,
  ): Promise<void> {
    const receipt = receiptOf(connection, before, renewed, attempt);
    await insist(() =>
      transactions.run(async (tx) => {
        await tx.credentials.keepReceipt(receipt);
        return ok();
      }),
    );
    await insist(() =>
      transactions.run(async (tx) => {
        await settleReceipts(deps, tx, receipt, by());
        return ok();
      }),
    );
  }

  /** Of two who renewed one generation, the other's receipt: the platform may have gone on with that one. Tried once. */
  async function fallBack(connection: Connection, before: Opened): Promise<boolean> {
    const { id, workspaceId } = connection;
    const taken = await transactions.run(async (tx) => {
      const spare = await tx.credentials.takeSpareReceipt(workspaceId, id, before.generation);
      const receipt = spare && sealedAnew(connection, before, spare, ids.next('att'));
      if (!receipt) return ok(false);
      await tx.credentials.keepReceipt(receipt);
      return ok(await applyReceipt(deps, tx, receipt, by()));
    });
    return taken.ok && taken.value;
  }

  /** The old refresh token is spent, so that a database which is away for a moment must not cost the login. */
  async function insist<Value>(work: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt === STORE_ATTEMPTS) throw error;
        await clock.sleep(Math.min(100 * 2 ** attempt, 5_000));
      }
    }
  }

  /** Nothing is wrong with the grant: its app is gone. That may come back, and until then its owner sees why. */
  async function tellAppMissing({ connection, manifest }: Grantee, { generation }: Opened): Promise<void> {
    const { workspaceId, id } = connection;
    await transactions.run(async (tx) => {
      const current = await tx.connections.lock(workspaceId, id);
      const stored = await tx.credentials.find(workspaceId, id);
      if (
        current?.appMissing === false &&
        current.status !== 'needs_reauth' &&
        stored?.generation === generation
      ) {
        const changes = { appMissing: true };
        await reviewStanding(deps, tx, { connection: current, manifest, changes }, by());
      }
      return ok();
    });
  }

  async function release({ id }: Connection, { fence }: Lease, ending: RenewalEnding): Promise<void> {
    await transactions.run(async (tx) => {
      await tx.credentials.release(id, fence, ending);
      return ok();
    });
  }
}

/** A quarter more or less, so that what failed together does not come back together. */
const restOf = (failures: number): number =>
  (Math.min(REST_SECONDS.first * 2 ** failures, REST_SECONDS.longest) * randomInt(75, 126)) / 100;

const asked = (seconds: number | undefined): number => Math.min(seconds ?? 0, REST_SECONDS.asked);

const busy = (manifest: Manifest, retryAfterSeconds?: number) =>
  refuse('platform.unavailable', `The login at ${manifest.name} cannot be renewed yet. Try again shortly.`, {
    retryAfterSeconds,
  });
