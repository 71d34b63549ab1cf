import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { flowBinding, redirectUriOf } from './begin-connect.js';
import type { ConnectErrorCode, ConnectSession } from './connect-session.js';
import { establishConnection, type EstablishPorts } from './establish-connection.js';
import { asOf } from './get-connect-session.js';
import { connectPageCall } from './open-connect.js';

export interface CompleteConnect {
  readonly platform: string;
  readonly state: string;
  readonly browser: string;
  /** The callback's query as it came. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** `connect_session.not_found`: no trip with this state is open in this browser, or it is done already. */
export async function completeConnect(
  ports: EstablishPorts & Pick<Ports, 'manifests' | 'tokens' | 'settings' | 'connectSessions'>,
  command: CompleteConnect,
  request: Pick<Call, 'requestId' | 'signal'>,
): Promise<Result<ConnectSession, 'connect_session.not_found' | 'vault.unavailable' | 'vault.unreadable'>> {
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
  const way = manifest?.connect.find(({ id }) => id === flow?.way);
  if (!flow || !session || session.status !== 'pending' || !manifest || !way)
    return notFound('connect_session');
  const current = asOf(session, ports.clock.now());
  // Nothing is exchanged: what a platform would grant now, nobody would keep.
  if (current.status !== 'pending') {
    const ended = await ports.transactions.run(async (tx) =>
      ok(await tx.connectSessions.end(session.id, current)),
    );
    return ok((ended.ok ? ended.value : null) ?? current);
  }

  const vault = await ports.vault.unlock(session.workspaceId);
  if (!vault.ok) return vault;
  const context = vault.value.open(flowBinding(ports.tokens.digestHex(command.state)), flow.sealedContext);
  if (!context.ok) return context;
  const call = connectPageCall(session, request.requestId, request.signal);
  const grant = await ports.authorizers.complete({
    workspaceId: session.workspaceId,
    profileId: session.profileId,
    manifest,
    way,
    redirectUri: redirectUriOf(ports.settings.publicUrl, manifest.id),
    parameters: command.parameters,
    context: context.value,
    signal: call.signal,
  });
  const established = grant.ok
    ? await establishConnection(ports, call, { session, manifest, way, grant: grant.value })
    : grant;
  if (established.ok) return ok(established.value.session);

  const error = { code: errorCodeOf(established.failure.code), message: established.failure.message };
  const failed = await ports.transactions.run(async (tx) => {
    await tx.audit.append({
      workspaceId: session.workspaceId,
      actor: 'system:connect_page',
      action: 'completeConnect',
      object: session.id,
      outcome: established.failure.code,
      requestId: request.requestId,
      details: { platform: manifest.id },
    });
    return ok(await tx.connectSessions.end(session.id, { status: 'failed', error, connectionIds: [] }));
  });
  // Ended already: another tab was quicker, and how it ended is what counts.
  const standing =
    (failed.ok ? failed.value : null) ?? (await ports.connectSessions.find(session.workspaceId, session.id));
  return ok(standing ?? { ...session, status: 'failed', error });
}

function errorCodeOf(code: string): ConnectErrorCode {
  if (code === 'connect.denied') return 'denied';
  if (code === 'connect.wrong_account') return 'wrong_account';
  return code === 'connect.nothing_to_choose' ? 'nothing_to_choose' : 'exchange_failed';
}
