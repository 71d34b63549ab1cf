import type { Call } from '../call.js';
import { notFound, type Failure } from '../failure.js';
import type { Manifest, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { flowBinding, redirectUriOf } from './begin-connect.js';
import { allowsSeveralLogins, type ConnectErrorCode, type ConnectSession } from './connect-session.js';
import { parseFlowContext } from './flow-context.js';
import { applyExpiry } from './get-connect-session.js';
import { parseLogin } from './pending-login.js';
import { connectPageCall } from './open-connect.js';
import { processLogin, type LoginPorts } from './process-login.js';
import type { ConnectStep } from './store-accounts.js';

interface CompleteConnect {
  readonly platform: string;
  readonly state: string;
  readonly browser: string;
  /** The query parameters of the callback. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface CompleteConnectResult {
  /** The link's token; null when the session had ended before the exchange. */
  readonly token: string | null;
  /** `refused`: this login connected nothing, and the session continues. */
  readonly step:
    | ConnectStep
    | { readonly kind: 'refused'; readonly session: ConnectSession; readonly error: ConnectErrorCode };
  /** Why this login connected nothing, for the log. */
  readonly failure: Failure | null;
}

/**
 * `connect_session.not_found`: no flow with this state is open in this browser, or it is already completed.
 */
export async function completeConnect(
  ports: LoginPorts & Pick<Ports, 'manifests' | 'settings' | 'connectSessions'>,
  command: CompleteConnect,
  request: Pick<Call, 'requestId' | 'signal'>,
): Promise<
  Result<CompleteConnectResult, 'connect_session.not_found' | 'vault.unavailable' | 'vault.unreadable'>
> {
  const taken = await ports.transactions.run(async (tx) =>
    ok(
      await tx.connectSessions.consumeFlow(
        ports.tokens.digest(command.state),
        ports.tokens.digest(command.browser),
      ),
    ),
  );
  const flow = taken.ok ? taken.value : null;
  const session = flow && (await ports.connectSessions.find(flow.workspaceId, flow.sessionId));
  const manifest = flow && flow.platform === command.platform ? ports.manifests.find(flow.platform) : null;
  const connectMethod = manifest?.connect.find(({ id }) => id === flow?.connectMethod);
  if (!flow || !session || session.status !== 'pending' || !manifest || !connectMethod)
    return notFound('connect_session');
  const current = applyExpiry(session, ports.clock.now());
  // Nothing is exchanged: a grant obtained now would not be stored.
  if (current.status !== 'pending') {
    const ended = await ports.transactions.run(async (tx) => {
      // Includes what another tab connected a moment ago.
      const standing = (await tx.connectSessions.lock(session.workspaceId, session.id)) ?? session;
      const ending = applyExpiry(standing, ports.clock.now());
      return ok((await tx.connectSessions.end(session.id, ending)) ?? ending);
    });
    const step = { kind: 'ended', session: ended.ok ? ended.value : current } as const;
    return ok({ token: null, step, failure: null });
  }

  const vault = await ports.vault.unlock(session.workspaceId);
  if (!vault.ok) return vault;
  const opened = vault.value.open(flowBinding(ports.tokens.digestHex(command.state)), flow.sealedContext);
  if (!opened.ok) return opened;
  const { token, context } = parseFlowContext(opened.value);
  const keyCallbackGrant = flow.sealedDelivery
    ? vault.value.open(
        flowBinding(ports.tokens.digestHex(command.state), 'sealed_delivery'),
        flow.sealedDelivery,
      )
    : ok(null);
  if (!keyCallbackGrant.ok) return keyCallbackGrant;
  const call = connectPageCall(session, request.requestId, request.signal);
  const grant = await ports.authorizers.complete({
    workspaceId: session.workspaceId,
    profileId: session.profileId,
    manifest,
    connectMethod,
    redirectUri: redirectUriOf(ports.settings.publicUrl, manifest.id),
    parameters: command.parameters,
    context,
    ...(keyCallbackGrant.value && { keyCallbackGrant: parseLogin(keyCallbackGrant.value).grant }),
    signal: call.signal,
  });
  const { browser } = command;
  const settled = grant.ok
    ? await processLogin(ports, call, { session, browser, manifest, connectMethod, grant: grant.value })
    : grant;
  if (settled.ok) return ok({ token, step: settled.value, failure: null });
  const { failure } = settled;
  const step = await recordFailure(ports, session, manifest, failure, request.requestId);
  return ok({ token, step, failure });
}

/**
 * Writes the audit row and fails the session, unless further logins may follow: one failed login does not
 * affect the others.
 */
async function recordFailure(
  ports: Pick<Ports, 'transactions' | 'connectSessions'>,
  session: ConnectSession,
  { id: platform }: Pick<Manifest, 'id'>,
  { code, message }: Failure,
  requestId: string,
): Promise<CompleteConnectResult['step']> {
  const continues = allowsSeveralLogins(session);
  const error = { code: errorCodeOf(code), message };
  const failed = await ports.transactions.run(async (tx) => {
    await tx.audit.append({
      workspaceId: session.workspaceId,
      actor: 'system:connect_page',
      action: 'completeConnect',
      object: session.id,
      outcome: code,
      requestId,
      details: { platform },
    });
    if (continues) return ok(null);
    return ok(await tx.connectSessions.end(session.id, { status: 'failed', error, connectionIds: [] }));
  });
  // Another tab ended the session first, and its result counts.
  const standing =
    (failed.ok ? failed.value : null) ?? (await ports.connectSessions.find(session.workspaceId, session.id));
  return standing?.status === 'pending'
    ? { kind: 'refused', session: standing, error: error.code }
    : { kind: 'ended', session: standing ?? { ...session, status: 'failed', error } };
}

function errorCodeOf(code: string): ConnectErrorCode {
  if (code === 'connect.denied') return 'denied';
  if (code === 'connect.wrong_account') return 'wrong_account';
  if (code === 'platform.invalid_response') return 'account_unreadable';
  return code === 'connect.nothing_to_choose' ? 'nothing_to_choose' : 'exchange_failed';
}
