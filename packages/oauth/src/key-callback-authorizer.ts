import { randomBytes } from 'node:crypto';
import {
  ok,
  refuse,
  Secret,
  type Clock,
  type ConnectMethod,
  type KeyCallbackFacts,
  type Outbound,
} from '@switchboard/domain';
import { refuseFormField } from './atproto-login.js';
import { isSendable, parseStoreUrl } from './key-form-authorizer.js';
import { createKeyTransport, placeKeyPair, type StoredKey } from './create-key-transport.js';
import type { AuthScheme } from './auth-scheme.js';
import { storedJson } from './stored-json.js';

/** Whether requests may go to a URL, and so whether a browser may be sent there: null when they may. */
export interface AddressCheck {
  checkAddress(url: string): Promise<'invalid_url' | 'address_refused' | 'dns' | null>;
}

export interface KeyCallbackDeps {
  readonly outbound: Outbound & AddressCheck;
  readonly clock: Clock;
  readonly appName: string;
  /** Servers without TLS: for development, and for hosts that the operator opened. */
  readonly allowHttp: boolean;
}

type KeyCallbackCredential = { readonly kind: 'key_callback' } & StoredKey;

/** What is known of a trip when a key is brought, and when the browser comes back. */
interface KeyCallbackContext {
  readonly server: string;
  /** What the server was told to call us by, and says again. */
  readonly reference: string;
}

const credentials = storedJson<KeyCallbackCredential>('key_callback');
const KEY_CHARACTERS_MAX = 200;

/** WooCommerce's authentication endpoint: the store makes a key, posts it to us, and then sends the browser back. */
export function keyCallbackAuthorizer({
  outbound,
  clock,
  appName,
  allowHttp,
}: KeyCallbackDeps): AuthScheme & Required<Pick<AuthScheme, 'begin' | 'accept' | 'complete'>> {
  return {
    async begin({ connectMethod, fieldValues: answers, redirectUri, state, keyCallbackUrl: deliverTo }) {
      const facts = getKeyCallbackFacts(connectMethod);
      const server = parseStoreUrl(answers[facts.serverField], allowHttp);
      if (server === null) {
        return refuseFormField(
          facts.serverField,
          'Type the address of the store, such as https://shop.example.',
        );
      }
      const addressProblem = await outbound.checkAddress(server);
      if (addressProblem !== null) {
        return refuseFormField(
          facts.serverField,
          addressProblem === 'dns'
            ? 'The address of the store cannot be looked up. Check its spelling.'
            : 'The address of the store must be on the public internet.',
        );
      }
      if (deliverTo === undefined) throw new Error('there is nowhere to bring a key to');
      if (!deliverTo.startsWith('https://') && !allowHttp) {
        return refuse(
          'platform.not_configured',
          'Keys are brought over TLS only: this service needs a public address with https.',
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
        ['callback_url', deliverTo],
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
        return refuse('connect.exchange_failed', 'That is no key of the store that was asked.');
      }
      const credential = credentials.write({
        kind: 'key_callback',
        ...placeKeyPair(key, secret, { signs: server.startsWith('http://') }),
        obtainedAt: clock.now().toISOString(),
      });
      return ok({ credential, accessExpiresAt: null, expiresAt: null, permissions, server });
    },

    async complete({ parameters, context, keyCallbackGrant: delivered }) {
      const { success, user_id: user } = parameters;
      if (user !== parseContext(context).reference) {
        return refuse('connect.exchange_failed', 'The store did not answer what it was asked.');
      }
      if (success !== '1') return refuse('connect.denied', 'It was not allowed at the store.');
      return delivered
        ? ok(delivered)
        : refuse(
            'connect.exchange_failed',
            'The store did not bring its key. It must be able to reach this service.',
          );
    },

    open: (secret) => createKeyTransport(outbound, clock, credentials.read(secret)),

    /** A key does not renew itself: one that is refused was taken back. */
    renew: async () => ({ kind: 'over' }),

    /** There is no way to take a key back but in the store's own settings. */
    revoke: async () => ok(),
  };
}

function getKeyCallbackFacts({ id, keyCallback }: ConnectMethod): KeyCallbackFacts {
  if (!keyCallback) throw new Error(`the way ${id} does not say where its keys are made`);
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
