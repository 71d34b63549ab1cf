import { randomBytes } from 'node:crypto';
import { ok, refuse, Secret } from '@switchboard/domain';
import type { Clock, ConnectMethod, KeyCallbackFacts, Outbound } from '@switchboard/domain/ports';
import { refuseFormField } from './atproto-login.js';
import { isSendable } from './key-form-authorizer.js';
import { parseStoreUrl } from './read-server-field.js';
import { createKeyTransport, placeKeyPair, type StoredKey } from './create-key-transport.js';
import type { AuthScheme } from './auth-scheme.js';
import { storedJson } from './stored-json.js';

/**
 * Checks whether requests to a URL are allowed, and thus whether a browser may be redirected there: null when
 * they are.
 */
export interface AddressCheck {
  checkAddress(url: string): Promise<'invalid_url' | 'address_refused' | 'dns' | null>;
}

interface KeyCallbackDeps {
  readonly outbound: Outbound & AddressCheck;
  readonly clock: Clock;
  readonly appName: string;
  /** Allows servers without TLS: for development, and for hosts that the operator allowed. */
  readonly allowHttp: boolean;
}

type KeyCallbackCredential = { readonly kind: 'key_callback' } & StoredKey;

/** The state of a connect flow between its start, the key callback and the browser's return. */
interface KeyCallbackContext {
  readonly server: string;
  /** The reference that the store repeats in its callback. */
  readonly reference: string;
}

const credentials = storedJson<KeyCallbackCredential>('key_callback');
const KEY_CHARACTERS_MAX = 200;

/**
 * WooCommerce's authentication endpoint: the store creates a key, posts it to the callback URL and then
 * redirects the browser back.
 */
export function keyCallbackAuthorizer({
  outbound,
  clock,
  appName,
  allowHttp,
}: KeyCallbackDeps): AuthScheme & Required<Pick<AuthScheme, 'begin' | 'accept' | 'complete'>> {
  return {
    async begin({ connectMethod, fieldValues, redirectUri, state, keyCallbackUrl }) {
      const facts = getKeyCallbackFacts(connectMethod);
      const server = parseStoreUrl(fieldValues[facts.serverField], allowHttp);
      if (server === null) {
        return refuseFormField(facts.serverField, 'Enter the store URL, such as https://shop.example.');
      }
      const addressProblem = await outbound.checkAddress(server);
      if (addressProblem !== null) {
        return refuseFormField(
          facts.serverField,
          addressProblem === 'dns'
            ? 'The store’s host name cannot be resolved. Check the spelling.'
            : 'The address of the store must be on the public internet.',
        );
      }
      if (keyCallbackUrl === undefined) throw new Error('the key callback URL is missing');
      if (!keyCallbackUrl.startsWith('https://') && !allowHttp) {
        return refuse(
          'platform.not_configured',
          'Stores send keys over TLS only. Set SWITCHBOARD_PUBLIC_URL to an https URL.',
        );
      }
      const reference = randomBytes(8).toString('hex');
      const url = new URL(server + facts.authorizePath);
      const returnUrl = new URL(redirectUri);
      returnUrl.searchParams.set('state', state);
      for (const [name, value] of [
        ['app_name', appName],
        ['scope', facts.scope],
        ['user_id', reference],
        ['return_url', returnUrl.href],
        ['callback_url', keyCallbackUrl],
      ] as const) {
        url.searchParams.set(name, value);
      }
      return ok({ url: url.href, context: serializeContext({ server, reference }) });
    },

    async accept({ connectMethod, body, context }) {
      const { server, reference } = parseContext(context);
      const { scope, permissions } = getKeyCallbackFacts(connectMethod);
      const {
        user_id: user,
        consumer_key: key,
        consumer_secret: secret,
        key_permissions: granted,
      } = readFields(body);
      if (String(user) !== reference || granted !== scope || !isKey(key) || !isKey(secret)) {
        return refuse('connect.exchange_failed', 'The key does not belong to this connect flow.');
      }
      const credential = credentials.write({
        kind: 'key_callback',
        ...placeKeyPair(key, secret, { signs: server.startsWith('http://') }),
        obtainedAt: clock.now().toISOString(),
      });
      return ok({ credential, accessExpiresAt: null, expiresAt: null, permissions, server });
    },

    async complete({ parameters, context, keyCallbackGrant }) {
      const { success, user_id: user } = parameters;
      if (user !== parseContext(context).reference) {
        return refuse(
          'connect.exchange_failed',
          'The store returned an unexpected reference. Start the connect flow again.',
        );
      }
      if (success !== '1') return refuse('connect.denied', 'Access was denied at the store.');
      return keyCallbackGrant
        ? ok(keyCallbackGrant)
        : refuse(
            'connect.exchange_failed',
            'The store did not send its key. It must be able to reach this service.',
          );
    },

    open: (secret) => createKeyTransport(outbound, clock, credentials.read(secret)),

    /** A key cannot be renewed: a rejected key was revoked. */
    renew: async () => ({ kind: 'over' }),

    /** A key can be revoked only in the store's own settings. */
    revoke: async () => ok(),
  };
}

function getKeyCallbackFacts({ id, keyCallback }: ConnectMethod): KeyCallbackFacts {
  if (!keyCallback) throw new Error(`the connect method ${id} has no keyCallback settings`);
  return keyCallback;
}

const readFields = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};

const isKey = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= KEY_CHARACTERS_MAX &&
  isSendable(value) &&
  !value.includes(':');

const serializeContext = (trip: KeyCallbackContext): Secret => new Secret(JSON.stringify(trip));
const parseContext = (context: Secret): KeyCallbackContext =>
  JSON.parse(context.reveal()) as KeyCallbackContext;
