import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import type { AuthorizeFailureCode, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Manifest } from '../ports/manifest.js';
import type { SealBinding } from '../ports/vault.js';
import type { ConnectSession } from './connect-session.js';
import { endsWithForm, usesKeyCallback } from './connect-schemes.js';
import { serializeFlowContext } from './flow-context.js';
import { applyExpiry } from './get-connect-session.js';
import { processLogin, type ProcessLoginFailureCode, type LoginPorts } from './process-login.js';
import type { ConnectStep } from './store-accounts.js';

interface BeginConnect {
  readonly session: ConnectSession;
  /** The token of the link, with which the callback finds the session. */
  readonly token: string;
  readonly platform: string;
  readonly connectMethod: string;
  readonly fieldValues: Readonly<Record<string, string>>;
  /** The secret in the cookie of the browser that starts the login. */
  readonly browser: string;
}

/**
 * Where the browser goes next: to the platform's consent page, or nowhere because the form was sufficient.
 */
type BeginConnectResult = { readonly kind: 'redirect'; readonly url: string } | ConnectStep;

type BeginConnectFailureCode =
  | AuthorizeFailureCode
  | ProcessLoginFailureCode
  | 'platform.not_found'
  | 'vault.unavailable';

/** The lifetime of a connect flow; the session may live longer. */
const FLOW_MINUTES = 15;

export async function beginConnect(
  ports: LoginPorts & Pick<Ports, 'manifests' | 'settings'>,
  call: Call,
  command: BeginConnect,
): Promise<Result<BeginConnectResult, BeginConnectFailureCode>> {
  const { session, fieldValues } = command;
  if (applyExpiry(session, ports.clock.now()).status !== 'pending') return notFound('connect_session');
  const manifest = session.platforms.includes(command.platform)
    ? ports.manifests.find(command.platform)
    : null;
  const connectMethod = manifest?.connect.find(({ id }) => id === command.connectMethod);
  if (!manifest || !connectMethod)
    return refuse('platform.not_found', 'This platform cannot be connected here.');
  const missing = connectMethod.fields.filter(({ name, required }) => required && !fieldValues[name]?.trim());
  if (missing.length > 0) {
    return refuse(
      'connect.answer_invalid',
      `Missing fields: ${missing.map(({ label }) => label).join(', ')}.`,
      {
        problems: missing.map(({ name }) => ({ path: name, code: 'field.required', message: 'is required' })),
      },
    );
  }

  if (endsWithForm(connectMethod)) {
    const { workspaceId, profileId } = session;
    const grant = await ports.authorizers.login({
      workspaceId,
      profileId,
      manifest,
      connectMethod,
      fieldValues,
      signal: call.signal,
    });
    if (!grant.ok) return grant;
    const { browser } = command;
    const settled = await processLogin(ports, call, {
      session,
      browser,
      manifest,
      connectMethod,
      grant: grant.value,
    });
    // For credentials that were just entered, this code means that they are wrong, not that they expired.
    return !settled.ok && settled.failure.code === 'connection.needs_reauth'
      ? refuse('connect.answer_invalid', `${manifest.name} rejected the entered credentials. Check them.`)
      : settled;
  }

  const state = ports.tokens.random();
  const keyCallbackSecret = usesKeyCallback(connectMethod) ? ports.tokens.random() : null;
  const started = await ports.authorizers.begin({
    workspaceId: session.workspaceId,
    profileId: session.profileId,
    manifest,
    connectMethod,
    fieldValues,
    redirectUri: redirectUriOf(ports.settings.publicUrl, manifest.id),
    state,
    ...(keyCallbackSecret !== null && {
      keyCallbackUrl: keyCallbackUrlOf(ports.settings.publicUrl, manifest.id, keyCallbackSecret),
    }),
    signal: call.signal,
  });
  if (!started.ok) return started;
  const vault = await ports.vault.unlock(session.workspaceId);
  if (!vault.ok) return vault;
  const stateHash = ports.tokens.digest(state);
  const expiresAt = ports.clock.after(FLOW_MINUTES * 60_000);
  await ports.transactions.run(async (tx) => {
    await tx.connectSessions.insertFlow({
      sessionId: session.id,
      workspaceId: session.workspaceId,
      platform: manifest.id,
      connectMethod: connectMethod.id,
      stateHash,
      browserHash: ports.tokens.digest(command.browser),
      sealedContext: vault.value.seal(
        flowBinding(ports.tokens.digestHex(state)),
        serializeFlowContext({ token: command.token, context: started.value.context }),
      ),
      deliveryHash: keyCallbackSecret === null ? null : ports.tokens.digest(keyCallbackSecret),
      sealedDelivery: null,
      expiresAt,
    });
    // A further login has begun: the session does not end before it returns.
    if (session.connectionIds.length > 0) await tx.connectSessions.postponeExpiry(session.id, expiresAt);
    return ok();
  });
  return ok({ kind: 'redirect', url: started.value.url });
}

/** One redirect URI per platform: a callback at this URI belongs to this platform only. */
export const redirectUriOf = (publicUrl: string, platform: string): string =>
  `${publicUrl}/oauth/callback/${platform}`;

/**
 * The URL to which a platform posts the keys it grants: it contains an unguessable secret and is valid once.
 */
const keyCallbackUrlOf = (publicUrl: string, platform: string, secret: string): string =>
  `${publicUrl}/deliveries/${platform}/${secret}`;

export const flowBinding = (
  stateDigest: string,
  field: 'sealed_context' | 'sealed_delivery' = 'sealed_context',
): SealBinding => ({ table: 'connect_flows', row: stateDigest, field, generation: 0 });

/** Schemes in which the platform redirects the browser to a redirect URI that must be registered with it. */
const redirectSchemes: readonly Manifest['connect'][number]['scheme'][] = [
  'oauth2',
  'atproto_oauth',
  'mastodon_oauth',
];

/** The redirect URI to register at a platform; null when no connect method uses OAuth with a redirect. */
export const registeredRedirectUri = ({ id, connect }: Manifest, publicUrl: string): string | null =>
  connect.some(({ scheme }) => redirectSchemes.includes(scheme)) ? redirectUriOf(publicUrl, id) : null;
