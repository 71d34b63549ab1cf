import {
  homeOf,
  ok,
  refuse,
  type AuditCounter,
  type Clock,
  type Connection,
  type Connections,
  type Credentials,
  type Ids,
  type Manifests,
  type Outbound,
  type Reading,
  type RequestFailureCode,
  type Result,
  type SessionFailureCode,
  type Sessions,
  type Transactions,
  type Vault,
} from '@switchboard/domain';
import { needsReauth, openCredential, type Opened } from './credential-store.js';
import { dueOf } from './due.js';
import { lapse } from './lapse.js';
import type { Origins } from './oauth2-authorizer.js';
import { platformSession } from './platform-session.js';
import { renewals, type Grantee, type RenewalDeps } from './renewals.js';
import type { Scheme } from './scheme.js';
import { tokenUse } from './token-use.js';

export interface SessionsDeps {
  readonly connections: Reading<Connections>;
  readonly credentials: Reading<Credentials>;
  readonly transactions: Transactions;
  readonly auditCounter: AuditCounter;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly manifests: Manifests;
  readonly origins: Origins;
  readonly outbound: Outbound;
  readonly onRenewal?: RenewalDeps['onRenewal'];
}

/** How long this process does not even ask whether an early renewal that failed may be tried again: the token still works. */
const REST_MS = 5_000;
const RESTING_MAX = 10_000;
const SEALED_REST_SECONDS = 300;

export function openSessions(deps: SessionsDeps, schemeOf: (scheme: string) => Scheme): Sessions {
  const { clock, transactions, manifests } = deps;
  const newRequestId = () => deps.ids.next('req');
  const open = openCredential(deps);
  const renew = renewals({ ...deps, open });
  const audit = tokenUse(deps.auditCounter);
  const resting = new Map<string, number>();

  function granteeOf(connection: Connection): Grantee | null {
    const manifest = manifests.find(connection.platform);
    const way = manifest?.connect.find(({ id }) => id === connection.way);
    return manifest && way ? { connection, manifest, way, scheme: schemeOf(way.scheme) } : null;
  }

  /** The stored login, renewed when its time has come. */
  async function fresh(grantee: Grantee): Promise<Result<Opened, SessionFailureCode>> {
    const { connection, scheme } = grantee;
    const stored = await open(connection, scheme);
    if (!stored.ok) return stored;
    const now = clock.now();
    const due = dueOf(stored.value.line, now);
    if (due === 'no') return stored;
    if (due === 'ended') return renew(grantee, stored.value.generation, 'ended');
    if (now.getTime() < (resting.get(connection.id) ?? 0)) return stored;
    const renewed = await renew(grantee, stored.value.generation, 'soon');
    if (renewed.ok || renewed.failure.code === 'connection.needs_reauth') {
      resting.delete(connection.id);
      return renewed;
    }
    if (resting.size >= RESTING_MAX) resting.clear();
    resting.set(connection.id, now.getTime() + REST_MS);
    return stored;
  }

  /** One that cannot be opened leaves its place among those that are due to others. */
  async function rest({ id }: Connection, generation: number): Promise<void> {
    await transactions.run(async (tx) => {
      const wanted = { connectionId: id, generation, attempt: deps.ids.next('att'), leaseSeconds: 1 };
      const claim = await tx.credentials.claim({ ...wanted, refused: false });
      if (claim.kind === 'claimed') {
        await tx.credentials.release(id, claim.fence, {
          restSeconds: SEALED_REST_SECONDS,
          unsettled: claim.unsettled,
        });
      }
      return ok();
    });
  }

  return {
    async open(connection, use, signal, mayWrite) {
      const grantee = granteeOf(connection);
      const origins = grantee && deps.origins(homeOf(grantee.manifest, grantee.way));
      const baseUrl = connection.server ?? origins?.baseUrl ?? null;
      if (!grantee || !origins || baseUrl === null) {
        return refuse('platform.not_configured', 'This platform is not installed any more.');
      }
      if (connection.status === 'needs_reauth') return needsReauth();
      const opened = await fresh(grantee);
      if (!opened.ok) return opened;
      const requestId = newRequestId();
      await audit(connection, use, requestId);
      return ok(
        platformSession({
          manifest: grantee.manifest,
          way: grantee.way,
          connection,
          account: connection.account,
          baseUrl,
          origins,
          outbound: deps.outbound,
          grantedPermissions: connection.grantedPermissions,
          signal,
          mayWrite,
          clock,
          access: opened.value,
          renew: async (refused) => withoutSetup(await renew(grantee, refused.generation, 'refused')),
          giveUp: async (refused) => {
            await lapse(deps, connection, {
              generation: refused.generation,
              reason: 'token_refused',
              requestId,
            });
            return needsReauth();
          },
        }),
      );
    },

    async renew(connection, generation) {
      const grantee = granteeOf(connection);
      if (!grantee) return refuse('platform.not_configured', 'This platform is not installed any more.');
      const renewed = await renew(grantee, generation, 'soon');
      if (renewed.ok) return ok();
      const { code } = renewed.failure;
      if (code === 'vault.unavailable' || code === 'vault.unreadable') await rest(connection, generation);
      return renewed;
    },
  };
}

/** In the middle of a request there is no "not set up": it is as unavailable as it gets. */
function withoutSetup(result: Result<Opened, SessionFailureCode>): Result<Opened, RequestFailureCode> {
  if (result.ok) return result;
  const { code, message } = result.failure;
  return code === 'platform.not_configured'
    ? refuse('platform.unavailable', message, { whoCanFix: 'operator' })
    : { ok: false, failure: { ...result.failure, code } };
}
