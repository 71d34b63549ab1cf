import type { Call } from '../call.js';
import { notFound, refuse, type FailureCode } from '../failure.js';
import type { AuthorizeFailureCode, PlatformFailureCode, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { flowBinding } from './begin-connect.js';
import type { ConnectFlow } from './connect-session.js';
import { parseFlowContext } from './flow-context.js';
import { applyExpiry } from './get-connect-session.js';
import { serializeLogin } from './pending-login.js';
import { connectPageCall } from './open-connect.js';
import { readAccounts } from './read-accounts.js';

interface ReceiveKeyCallback {
  readonly platform: string;
  /** The secret in the URL of the request. */
  readonly secret: string;
  /** JSON, as received. */
  readonly body: unknown;
}

type ReceiveKeyCallbackFailureCode =
  | AuthorizeFailureCode
  | PlatformFailureCode
  | 'connect_session.not_found'
  | 'platform.not_found';

type KeyCallbackPorts = Pick<
  Ports,
  | 'authorizers'
  | 'clock'
  | 'connectSessions'
  | 'manifests'
  | 'platforms'
  | 'tokens'
  | 'transactions'
  | 'vault'
>;

/**
 * Accepts the keys that a platform posts for a pending flow, once. Anyone can send such a request: the keys
 * are verified at the platform of the flow before they are stored, and no connection is created before the
 * browser that started the flow returns. `connect_session.not_found`: no flow is pending under this secret,
 * or keys were already received.
 */
export async function receiveKeyCallback(
  ports: KeyCallbackPorts,
  command: ReceiveKeyCallback,
  request: Pick<Call, 'requestId' | 'signal'>,
): Promise<Result<undefined, ReceiveKeyCallbackFailureCode>> {
  const deliveryHash = ports.tokens.digest(command.secret);
  const flow = await ports.connectSessions.findFlowByKeyCallback(deliveryHash);
  const session = flow && (await ports.connectSessions.find(flow.workspaceId, flow.sessionId));
  if (!flow || !session || flow.platform !== command.platform) return notFound('connect_session');
  if (applyExpiry(session, ports.clock.now()).status !== 'pending') return notFound('connect_session');
  const outcome = await verifyAndStoreGrant(
    ports,
    flow,
    deliveryHash,
    command.body,
    connectPageCall(session, request.requestId, request.signal),
  );
  await ports.transactions.run(async (tx) => {
    await tx.audit.append({
      workspaceId: session.workspaceId,
      actor: 'system:connect_page',
      action: 'takeDelivery',
      object: session.id,
      outcome: outcome.ok ? 'ok' : outcome.failure.code,
      requestId: request.requestId,
      details: { platform: flow.platform },
    });
    return ok();
  });
  return outcome;
}

async function verifyAndStoreGrant(
  ports: KeyCallbackPorts,
  flow: ConnectFlow,
  deliveryHash: Uint8Array,
  body: unknown,
  call: Call,
): Promise<Result<undefined, ReceiveKeyCallbackFailureCode>> {
  const manifest = ports.manifests.find(flow.platform);
  const connectMethod = manifest?.connect.find(({ id }) => id === flow.connectMethod);
  if (!manifest || !connectMethod) return notFound('connect_session');
  const vault = await ports.vault.unlock(flow.workspaceId);
  if (!vault.ok) return vault;
  const state = hex(flow.stateHash);
  const opened = vault.value.open(flowBinding(state), flow.sealedContext);
  if (!opened.ok) return opened;
  const { context } = parseFlowContext(opened.value);
  const grant = await ports.authorizers.accept({ manifest, connectMethod, body, context });
  if (!grant.ok) return grant;
  const accounts = await readAccounts(ports, call, { manifest, connectMethod, grant: grant.value });
  if (!accounts.ok) {
    return isRefusal(accounts.failure.code)
      ? refuse('connect.exchange_failed', `${manifest.name} rejected the received credentials.`)
      : accounts;
  }
  const sealed = vault.value.seal(
    flowBinding(state, 'sealed_delivery'),
    serializeLogin({ grant: grant.value, accountGrants: new Map() }),
  );
  const stored = await ports.transactions.run(async (tx) =>
    ok(await tx.connectSessions.storeKeyCallback(deliveryHash, sealed)),
  );
  return stored.ok && stored.value ? ok() : notFound('connect_session');
}

const isRefusal = (code: FailureCode): boolean =>
  code === 'connection.needs_reauth' || code === 'platform.permission_missing' || code === 'platform.refused';

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
