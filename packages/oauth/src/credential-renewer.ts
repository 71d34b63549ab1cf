import { randomInt } from 'node:crypto';
import {
  createLeaseHandle,
  LEASE_SECONDS,
  ok,
  refuse,
  withLease,
  type AttemptId,
  type LeaseHandle,
  type Result,
} from '@switchboard/domain';
import {
  applyReceipt,
  updateConnectionHealth,
  settleReceipts,
  type Connection,
} from '@switchboard/domain/connections';
import type {
  Clock,
  Connections,
  ConnectMethod,
  Ids,
  Manifest,
  Manifests,
  ReadMethods,
  RenewalClaim,
  RenewalResult,
  SessionFailureCode,
  Transactions,
} from '@switchboard/domain/ports';
import {
  refuseNeedsReauth,
  createRefreshReceipt,
  resealReceipt,
  type OpenedCredential,
  type OpenFailureCode,
} from './open-credential.js';
import { markNeedsReauth } from './mark-needs-reauth.js';
import type { TokenRenewalResult, AuthScheme } from './auth-scheme.js';

export interface RenewalDeps {
  readonly connections: ReadMethods<Connections>;
  readonly transactions: Transactions;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly manifests: Manifests;
  /** Observes every response of a token endpoint and every recovered receipt. */
  readonly onRenewal?: ((platform: string, outcome: RenewalOutcome) => void) | undefined;
  open(connection: Connection, scheme: AuthScheme): Promise<Result<OpenedCredential, OpenFailureCode>>;
}

export type RenewalOutcome = 'renewed' | 'recovered' | 'failed' | 'ended';

export interface RenewalTarget {
  readonly connection: Connection;
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  readonly scheme: AuthScheme;
}

/**
 * How urgent a renewal is. `soon`: the present token works, so no caller waits. `ended`: the token has
 * expired. `refused`: the platform rejects a token that has not expired.
 */
type RenewalUrgency = 'soon' | 'ended' | 'refused';

/** Longer than any renewal may take. After this time the lease is no longer extended. */
const RENEWAL_MS = 45_000;
const WAIT_MS = 50_000;
const POLL_MS = { first: 100, longest: 1_000 } as const;
const STORE_ATTEMPTS = 8;
const BACKOFF_SECONDS = { first: 5, longest: 900, asked: 3_600 } as const;
const ACTOR = 'system:sessions';

type ClaimedRenewal = Extract<RenewalClaim, { kind: 'claimed' }> & {
  readonly attempt: AttemptId;
  /** A time before the claim. */
  readonly claimedAt: Date;
};

/**
 * Refreshes tokens, single-flight: one renewal in flight per connection in this process, and one refresh
 * lock, a lease, among all processes. The renewer persists the response as a receipt before processing it,
 * and stores the new credential before any caller uses it; processes without the lease wait until the stored
 * generation advances.
 */
export function credentialRenewer(deps: RenewalDeps) {
  const flights = new Map<string, Promise<Result<OpenedCredential, SessionFailureCode>>>();
  const { clock, ids, transactions } = deps;
  const reportRenewal = deps.onRenewal ?? (() => undefined);
  const createAuditContext = () => ({ actor: ACTOR, requestId: ids.next('req') });

  /** Returns a credential newer than generation `seen`. */
  return function renew(
    grantee: RenewalTarget,
    generation: number,
    urgency: RenewalUrgency,
  ): Promise<Result<OpenedCredential, SessionFailureCode>> {
    const key = `${grantee.connection.id} ${generation} ${urgency}`;
    const inFlight = flights.get(key);
    if (inFlight) return inFlight;
    const flight = runRenewal(grantee, generation, urgency).finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };

  async function runRenewal(
    grantee: RenewalTarget,
    generation: number,
    urgency: RenewalUrgency,
  ): Promise<Result<OpenedCredential, SessionFailureCode>> {
    const { connection, manifest, scheme } = grantee;
    const deadlineMs = clock.now().getTime() + WAIT_MS;
    for (let pause: number = POLL_MS.first; ;) {
      const stored = await deps.open(connection, scheme);
      if (!stored.ok || stored.value.generation > generation) return stored;
      const current = await deps.connections.find(connection.workspaceId, connection.id);
      if (!current || current.status === 'needs_reauth') return refuseNeedsReauth();
      if (clock.now().getTime() >= deadlineMs) return refuseBusy(manifest);
      const claim = await claimOrRecover(grantee, stored.value.generation, urgency);
      if (claim.kind === 'claimed') {
        const failure = await renewUnderLease({ ...grantee, connection: current }, stored.value, claim);
        if (failure) return { ok: false, failure };
      } else if (claim.kind === 'held') {
        return refuseHeld(manifest);
      } else if (claim.kind === 'backing_off') {
        return refuseBusy(manifest, claim.retryAfterSeconds);
      } else if (claim.kind === 'busy') {
        if (urgency === 'soon') return refuseBusy(manifest);
        await clock.sleep(pause);
        pause = Math.min(pause * 2, POLL_MS.longest);
      }
    }
  }

  /** Recovers a receipt that an earlier attempt did not store before starting a new renewal. */
  async function claimOrRecover(
    { connection: { id, workspaceId }, manifest }: RenewalTarget,
    generation: number,
    urgency: RenewalUrgency,
  ): Promise<ClaimedRenewal | Exclude<RenewalClaim, { kind: 'claimed' }> | { readonly kind: 'recovered' }> {
    const attempt = ids.next('att');
    const claimedAt = clock.now();
    const claimResult = await transactions.run<RenewalClaim | null, never>(async (tx) => {
      if (await applyReceipt(deps, tx, { workspaceId, connectionId: id }, createAuditContext()))
        return ok(null);
      const claimRequest = { connectionId: id, generation, attempt, leaseSeconds: LEASE_SECONDS };
      return ok(await tx.credentials.claim({ ...claimRequest, isTokenRejected: urgency === 'refused' }));
    });
    if (!claimResult.ok) return { kind: 'busy' };
    const claim = claimResult.value;
    if (claim) return claim.kind === 'claimed' ? { ...claim, attempt, claimedAt } : claim;
    reportRenewal(manifest.id, 'recovered');
    return { kind: 'recovered' };
  }

  /** Null when a newer generation exists, or another process is renewing this one: read again. */
  async function renewUnderLease(
    grantee: RenewalTarget,
    before: OpenedCredential,
    claim: ClaimedRenewal,
  ): Promise<Extract<TokenRenewalResult, { kind: 'failed' }>['failure'] | null> {
    const { connection, manifest, connectMethod, scheme } = grantee;
    const { workspaceId, profileId } = connection;
    const lease = createRenewalLease(connection, claim);
    if (!lease.isHeld()) {
      const { isOutcomeUnknown } = claim;
      await release(connection, claim, { backoffSeconds: null, isOutcomeUnknown });
      return null;
    }
    let renewed: TokenRenewalResult;
    try {
      // Not aborted when the lease is lost: the response may be the only valid token.
      renewed = await withLease(lease, new AbortController().signal, RENEWAL_MS, () =>
        scheme.renew({ workspaceId, profileId, manifest, connectMethod, credential: before.secret }),
      );
    } catch (error) {
      await release(connection, claim, {
        backoffSeconds: computeBackoffSeconds(claim.failures),
        isOutcomeUnknown: true,
      });
      throw error;
    }
    if (renewed.kind === 'renewed') {
      await storeRenewal(grantee, before, renewed, claim.attempt);
      reportRenewal(manifest.id, 'renewed');
      return null;
    }
    if (renewed.kind === 'failed') {
      const { failure, unsettled } = renewed;
      await release(connection, claim, {
        backoffSeconds: Math.max(
          computeBackoffSeconds(claim.failures),
          clampRetryAfter(failure.retryAfterSeconds),
        ),
        isOutcomeUnknown: unsettled || claim.isOutcomeUnknown,
      });
      if (failure.code === 'platform.not_configured') await markAppMissing(grantee, before);
      reportRenewal(manifest.id, 'failed');
      return failure;
    }
    const recovery = await recoverSpareReceipt(connection, before, claim);
    if (recovery === 'lease_lost') return null;
    if (recovery === 'recovered') {
      reportRenewal(manifest.id, 'recovered');
      return null;
    }
    const reason = claim.isOutcomeUnknown ? 'refresh_lost' : 'grant_ended';
    const { fence } = claim;
    await markNeedsReauth(deps, connection, {
      generation: before.generation,
      reason,
      fence,
      requestId: createAuditContext().requestId,
    });
    reportRenewal(manifest.id, 'ended');
    return null;
  }

  /**
   * Writes the receipt in its own unconditional statement; any process can store the credential from it
   * later.
   */
  async function storeRenewal(
    { connection }: RenewalTarget,
    before: OpenedCredential,
    renewed: Extract<TokenRenewalResult, { kind: 'renewed' }>,
    attempt: AttemptId,
  ): Promise<void> {
    const receipt = createRefreshReceipt(connection, before, renewed, attempt);
    await retryStore(() =>
      transactions.run(async (tx) => {
        await tx.credentials.storeReceipt(receipt);
        return ok();
      }),
    );
    await retryStore(() =>
      transactions.run(async (tx) => {
        await settleReceipts(deps, tx, receipt, createAuditContext());
        return ok();
      }),
    );
  }

  /**
   * When two attempts renewed the same generation, the platform may consider the other receipt current. It is
   * tried once, unless a process that holds the lease is renewing the present one.
   */
  async function recoverSpareReceipt(
    connection: Connection,
    before: OpenedCredential,
    { fence }: ClaimedRenewal,
  ): Promise<SpareRecovery> {
    const { id, workspaceId } = connection;
    const recovery = await transactions.run<SpareRecovery, never>(async (tx) => {
      if (!(await tx.credentials.extendLease(id, fence, LEASE_SECONDS))) return ok('lease_lost');
      const spare = await tx.credentials.deleteSpareReceipt(workspaceId, id, before.generation);
      const receipt = spare && resealReceipt(connection, before, spare, ids.next('att'));
      if (!receipt) return ok('no_spare');
      await tx.credentials.storeReceipt(receipt);
      const isApplied = await applyReceipt(deps, tx, receipt, createAuditContext());
      return ok(isApplied ? 'recovered' : 'no_spare');
    });
    return recovery.ok ? recovery.value : 'no_spare';
  }

  /** The old refresh token is spent, so a short database outage must not lose the new one. */
  async function retryStore<Value>(work: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (attempt === STORE_ATTEMPTS) throw error;
        await clock.sleep(Math.min(100 * 2 ** attempt, 5_000));
      }
    }
  }

  /**
   * The grant is valid but its app is missing. The operator can restore the app; until then the owner sees
   * the reason.
   */
  async function markAppMissing(
    { connection, manifest }: RenewalTarget,
    { generation }: OpenedCredential,
  ): Promise<void> {
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
        await updateConnectionHealth(
          deps,
          tx,
          { connection: current, manifest, changes },
          createAuditContext(),
        );
      }
      return ok();
    });
  }

  /** A renewal that never ends does not keep the lease. */
  function createRenewalLease({ id }: Connection, { fence, claimedAt }: ClaimedRenewal): LeaseHandle {
    const untilMs = claimedAt.getTime() + RENEWAL_MS;
    return createLeaseHandle(
      deps,
      claimedAt,
      async (tx, seconds) =>
        clock.now().getTime() < untilMs && (await tx.credentials.extendLease(id, fence, seconds)),
    );
  }

  async function release(
    { id }: Connection,
    { fence }: ClaimedRenewal,
    ending: RenewalResult,
  ): Promise<void> {
    await transactions.run(async (tx) => {
      await tx.credentials.release(id, fence, ending);
      return ok();
    });
  }
}

type SpareRecovery = 'recovered' | 'no_spare' | 'lease_lost';

/** ±25% jitter, so that connections that failed together do not retry together. */
const computeBackoffSeconds = (failures: number): number =>
  (Math.min(BACKOFF_SECONDS.first * 2 ** failures, BACKOFF_SECONDS.longest) * randomInt(75, 126)) / 100;

const clampRetryAfter = (seconds: number | undefined): number =>
  Math.min(seconds ?? 0, BACKOFF_SECONDS.asked);

const refuseHeld = (manifest: Manifest) =>
  refuse(
    'platform.unavailable',
    `The access token for ${manifest.name} has to be refreshed, which this installation does not do while it is paused: the installation that it was copied from may still use the same refresh token.`,
    { whoCanFix: 'operator' },
  );

const refuseBusy = (manifest: Manifest, retryAfterSeconds?: number) =>
  refuse(
    'platform.unavailable',
    `The access token for ${manifest.name} cannot be refreshed yet. Try again shortly.`,
    {
      retryAfterSeconds,
    },
  );
