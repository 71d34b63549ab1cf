import type { Call } from '../call.js';
import { notFound, refuse, type FailureCode } from '../failure.js';
import type { AuthorizeFailureCode, PlatformFailureCode, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { flowBinding } from './begin-connect.js';
import type { ConnectFlow } from './connect-session.js';
import { readFlowContext } from './flow-context.js';
import { asOf } from './get-connect-session.js';
import { writeLogin } from './kept-login.js';
import { connectPageCall } from './open-connect.js';
import { readAccounts } from './read-accounts.js';

export interface TakeDelivery {
  readonly platform: string;
  /** Of the address that it was brought to. */
  readonly secret: string;
  /** JSON, as it was sent. */
  readonly body: unknown;
}

export type TakeDeliveryFailureCode =
  AuthorizeFailureCode | PlatformFailureCode | 'connect_session.not_found' | 'platform.not_found';

type TakingPorts = Pick<
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
 * Takes what a platform brings for a trip that waits for it, once. Anybody can send a request: nothing is believed before the
 * platform that was asked has been asked with it, and it makes no connection before the browser that began comes back.
 * `connect_session.not_found`: nobody waits for anything under this secret, or something was brought before.
 */
export async function takeDelivery(
  ports: TakingPorts,
  command: TakeDelivery,
  request: Pick<Call, 'requestId' | 'signal'>,
): Promise<Result<undefined, TakeDeliveryFailureCode>> {
  const deliveryHash = ports.tokens.digest(command.secret);
  const flow = await ports.connectSessions.findDelivery(deliveryHash);
  const session = flow && (await ports.connectSessions.find(flow.workspaceId, flow.sessionId));
  if (!flow || !session || flow.platform !== command.platform) return notFound('connect_session');
  if (asOf(session, ports.clock.now()).status !== 'pending') return notFound('connect_session');
  const taken = await take(
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
      outcome: taken.ok ? 'ok' : taken.failure.code,
      requestId: request.requestId,
      details: { platform: flow.platform },
    });
    return ok();
  });
  return taken;
}

async function take(
  ports: TakingPorts,
  flow: ConnectFlow,
  deliveryHash: Uint8Array,
  body: unknown,
  call: Call,
): Promise<Result<undefined, TakeDeliveryFailureCode>> {
  const manifest = ports.manifests.find(flow.platform);
  const way = manifest?.connect.find(({ id }) => id === flow.way);
  if (!manifest || !way) return notFound('connect_session');
  const vault = await ports.vault.unlock(flow.workspaceId);
  if (!vault.ok) return vault;
  const state = hex(flow.stateHash);
  const opened = vault.value.open(flowBinding(state), flow.sealedContext);
  if (!opened.ok) return opened;
  const { context } = readFlowContext(opened.value);
  const grant = await ports.authorizers.accept({ manifest, way, body, context });
  if (!grant.ok) return grant;
  const accounts = await readAccounts(ports, call, { manifest, way, grant: grant.value });
  if (!accounts.ok) {
    return isRefusal(accounts.failure.code)
      ? refuse('connect.exchange_failed', `${manifest.name} does not accept what was brought.`)
      : accounts;
  }
  const sealed = vault.value.seal(
    flowBinding(state, 'sealed_delivery'),
    writeLogin({ grant: grant.value, own: new Map() }),
  );
  const kept = await ports.transactions.run(async (tx) =>
    ok(await tx.connectSessions.keepDelivery(deliveryHash, sealed)),
  );
  return kept.ok && kept.value ? ok() : notFound('connect_session');
}

const isRefusal = (code: FailureCode): boolean =>
  code === 'connection.needs_reauth' || code === 'platform.permission_missing' || code === 'platform.refused';

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
