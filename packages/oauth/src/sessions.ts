import { LEASE_SECONDS, ok, refuse, type Result } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import { appPlatformOf } from '@switchboard/domain/platforms';
import type {
  AuditCounter,
  Clock,
  Connections,
  Credentials,
  Ids,
  Manifests,
  Outbound,
  ReadMethods,
  RequestFailureCode,
  SessionFailureCode,
  Sessions,
  Transactions,
  Vault,
  TokenUse,
} from '@switchboard/domain/ports';
import { refuseNeedsReauth, openCredential, type OpenedCredential } from './open-credential.js';
import { getRenewalUrgency } from './get-renewal-urgency.js';
import { markNeedsReauth } from './mark-needs-reauth.js';
import type { OriginResolver } from './oauth2-authorizer.js';
import { platformSession } from './platform-session.js';
import { credentialRenewer, type RenewalTarget, type RenewalDeps } from './credential-renewer.js';
import type { AuthScheme } from './auth-scheme.js';

export interface SessionsDeps {
  readonly connections: ReadMethods<Connections>;
  readonly credentials: ReadMethods<Credentials>;
  readonly transactions: Transactions;
  readonly auditCounter: AuditCounter;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly manifests: Manifests;
  readonly origins: OriginResolver;
  readonly outbound: Outbound;
  readonly onRenewal?: RenewalDeps['onRenewal'];
}

/**
 * How long this process waits after a failed early renewal before it reads the backoff again: the token still
 * works.
 */
const RETRY_PAUSE_MS = 5_000;
const PAUSED_CONNECTIONS_MAX = 10_000;
const UNREADABLE_BACKOFF_SECONDS = 300;

export function openSessions(deps: SessionsDeps, schemeOf: (scheme: string) => AuthScheme): Sessions {
  const { clock, transactions, manifests } = deps;
  const newRequestId = () => deps.ids.next('req');
  const open = openCredential(deps);
  const openTogether = shareSimultaneous(open);
  const renew = credentialRenewer({ ...deps, open });
  const audit = createTokenUseAudit(deps.auditCounter);
  const pausedUntilMs = new Map<string, number>();

  function findRenewalTarget(connection: Connection): RenewalTarget | null {
    const manifest = manifests.find(connection.platform);
    const connectMethod = manifest?.connect.find(({ id }) => id === connection.connectMethod);
    return manifest && connectMethod
      ? { connection, manifest, connectMethod, scheme: schemeOf(connectMethod.scheme) }
      : null;
  }

  /** The stored credential, renewed when it is due. */
  async function openFreshCredential(
    grantee: RenewalTarget,
  ): Promise<Result<OpenedCredential, SessionFailureCode>> {
    const { connection, scheme } = grantee;
    const stored = await openTogether(connection, scheme);
    if (!stored.ok) return stored;
    const now = clock.now();
    const urgency = getRenewalUrgency(stored.value.transport, now);
    if (urgency === 'no') return stored;
    if (urgency === 'ended') return renew(grantee, stored.value.generation, 'ended');
    if (now.getTime() < (pausedUntilMs.get(connection.id) ?? 0)) return stored;
    const renewed = await renew(grantee, stored.value.generation, 'soon');
    if (renewed.ok || renewed.failure.code === 'connection.needs_reauth') {
      pausedUntilMs.delete(connection.id);
      return renewed;
    }
    if (pausedUntilMs.size >= PAUSED_CONNECTIONS_MAX) pausedUntilMs.clear();
    pausedUntilMs.set(connection.id, now.getTime() + RETRY_PAUSE_MS);
    return stored;
  }

  /** Postpones a credential that cannot be opened, so that it does not block other due renewals. */
  async function deferRenewal({ id }: Connection, generation: number): Promise<void> {
    await transactions.run(async (tx) => {
      const claimRequest = {
        connectionId: id,
        generation,
        attempt: deps.ids.next('att'),
        leaseSeconds: LEASE_SECONDS,
      };
      const claim = await tx.credentials.claim({ ...claimRequest, isTokenRejected: false });
      if (claim.kind === 'claimed') {
        await tx.credentials.release(id, claim.fence, {
          backoffSeconds: UNREADABLE_BACKOFF_SECONDS,
          isOutcomeUnknown: claim.isOutcomeUnknown,
        });
      }
      return ok();
    });
  }

  return {
    async open(connection, use, signal, mayWrite) {
      const grantee = findRenewalTarget(connection);
      const origins = grantee && deps.origins(appPlatformOf(grantee.manifest, grantee.connectMethod));
      const baseUrl = connection.server ?? origins?.baseUrl ?? null;
      if (!grantee || !origins || baseUrl === null) {
        return refuse('platform.not_configured', 'This platform is no longer installed.');
      }
      if (connection.status === 'needs_reauth') return refuseNeedsReauth();
      const opened = await openFreshCredential(grantee);
      if (!opened.ok) return opened;
      const requestId = newRequestId();
      await audit(connection, use, requestId);
      return ok(
        platformSession({
          manifest: grantee.manifest,
          connectMethod: grantee.connectMethod,
          connection,
          account: connection.account,
          baseUrl,
          origins,
          outbound: deps.outbound,
          grantedPermissions: connection.grantedPermissions,
          signal,
          mayWrite,
          clock,
          credential: opened.value,
          renew: async (refused) => mapSetupFailure(await renew(grantee, refused.generation, 'refused')),
          rejectCredential: async (refused) => {
            await markNeedsReauth(deps, connection, {
              generation: refused.generation,
              reason: 'token_refused',
              requestId,
            });
            return refuseNeedsReauth();
          },
        }),
      );
    },

    async findAppSecret(connection) {
      const grantee = findRenewalTarget(connection);
      if (!grantee?.scheme.findAppSecret)
        return refuse('platform.not_configured', 'The account has no app here.');
      const opened = await open(connection, grantee.scheme);
      if (!opened.ok) return opened;
      const { workspaceId, profileId } = connection;
      const { manifest, connectMethod } = grantee;
      const credential = opened.value.secret;
      return grantee.scheme.findAppSecret({ workspaceId, profileId, manifest, connectMethod, credential });
    },

    async renew(connection, generation) {
      const grantee = findRenewalTarget(connection);
      if (!grantee) return refuse('platform.not_configured', 'This platform is no longer installed.');
      const renewed = await renew(grantee, generation, 'soon');
      if (renewed.ok) return ok();
      const { code } = renewed.failure;
      if (code === 'vault.unavailable' || code === 'vault.unreadable')
        await deferRenewal(connection, generation);
      return renewed;
    },
  };
}

/**
 * Reads and opens the credential of an account once for all sessions that request it in the same turn of the event
 * loop, such as those of deliveries that were claimed together. Nothing is shared with later requests: each sees what was
 * committed before it.
 */
function shareSimultaneous(open: ReturnType<typeof openCredential>): typeof open {
  const requested = new Map<string, ReturnType<typeof open>>();
  return (connection, scheme) => {
    const key = `${connection.id} ${connection.connectMethod}`;
    const known = requested.get(key);
    if (known) return known;
    const opening = Promise.resolve().then(() => {
      requested.delete(key);
      return open(connection, scheme);
    });
    requested.set(key, opening);
    return opening;
  };
}

/** During a request, "not set up" is reported as unavailable. */
function mapSetupFailure(
  result: Result<OpenedCredential, SessionFailureCode>,
): Result<OpenedCredential, RequestFailureCode> {
  if (result.ok) return result;
  const { code, message } = result.failure;
  return code === 'platform.not_configured'
    ? refuse('platform.unavailable', message, { whoCanFix: 'operator' })
    : { ok: false, failure: { ...result.failure, code } };
}

/** Records in the audit log who opened a credential and for what purpose. */
const createTokenUseAudit =
  (counter: AuditCounter) =>
  (connection: Connection, { purpose, actor }: TokenUse, requestId: string): Promise<void> =>
    counter.count({
      workspaceId: connection.workspaceId,
      actor,
      action: 'token.used',
      object: connection.id,
      outcome: 'ok',
      requestId,
      details: { platform: connection.platform, purpose },
    });
