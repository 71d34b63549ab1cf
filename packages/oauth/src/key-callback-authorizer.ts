import { randomBytes } from 'node:crypto';
import {
  ok,
  refuse,
  Secret,
  type Clock,
  type ConnectWay,
  type KeyCallbackFacts,
  type Outbound,
} from '@switchboard/domain';
import { refuseAnswer } from './atproto-answers.js';
import { isSendable, readStoreUrl } from './key-form-authorizer.js';
import { keyLine, pairSentAs, type KeptKey } from './key-line.js';
import type { Scheme } from './scheme.js';
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

type Credential = { readonly kind: 'key_callback' } & KeptKey;

/** What is known of a trip when a key is brought, and when the browser comes back. */
interface Trip {
  readonly server: string;
  /** What the server was told to call us by, and says again. */
  readonly reference: string;
}

const credentials = storedJson<Credential>('key_callback');
const KEY_CHARACTERS_MAX = 200;

/** WooCommerce's authentication endpoint: the store makes a key, posts it to us, and then sends the browser back. */
export function keyCallbackAuthorizer({
  outbound,
  clock,
  appName,
  allowHttp,
}: KeyCallbackDeps): Scheme & Required<Pick<Scheme, 'begin' | 'accept' | 'complete'>> {
  return {
    async begin({ way, answers, redirectUri, state, deliverTo }) {
      const facts = factsOf(way);
      const server = readStoreUrl(answers[facts.serverField], allowHttp);
      if (server === null) {
        return refuseAnswer(
          facts.serverField,
          'Type the address of the store, such as https://shop.example.',
        );
      }
      const unreachable = await outbound.checkAddress(server);
      if (unreachable !== null) {
        return refuseAnswer(
          facts.serverField,
          unreachable === 'dns'
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
      const back = new URL(redirectUri);
      back.searchParams.set('state', state);
      for (const [name, value] of [
        ['app_name', appName],
        ['scope', facts.scope],
        ['user_id', reference],
        ['return_url', back.href],
        ['callback_url', deliverTo],
      ] as const) {
        url.searchParams.set(name, value);
      }
      return ok({ url: url.href, context: writeTrip({ server, reference }) });
    },

    async accept({ way, body, context }) {
      const { server, reference } = readTrip(context);
      const { scope, permissions } = factsOf(way);
      const {
        user_id: user,
        consumer_key: key,
        consumer_secret: secret,
        key_permissions: granted,
      } = fieldsOf(body);
      if (String(user) !== reference || granted !== scope || !isKey(key) || !isKey(secret)) {
        return refuse('connect.exchange_failed', 'That is no key of the store that was asked.');
      }
      const credential = credentials.write({
        kind: 'key_callback',
        ...pairSentAs(key, secret, { signs: server.startsWith('http://') }),
        obtainedAt: clock.now().toISOString(),
      });
      return ok({ credential, accessExpiresAt: null, expiresAt: null, permissions, server });
    },

    async complete({ parameters, context, delivered }) {
      const { success, user_id: user } = parameters;
      if (user !== readTrip(context).reference) {
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

    open: (secret) => keyLine(outbound, clock, credentials.read(secret)),

    /** A key does not renew itself: one that is refused was taken back. */
    renew: async () => ({ kind: 'over' }),

    /** There is no way to take a key back but in the store's own settings. */
    revoke: async () => ok(),
  };
}

function factsOf({ id, keyCallback }: ConnectWay): KeyCallbackFacts {
  if (!keyCallback) throw new Error(`the way ${id} does not say where its keys are made`);
  return keyCallback;
}

const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};

const isKey = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= KEY_CHARACTERS_MAX &&
  isSendable(value) &&
  !value.includes(':');

const writeTrip = (trip: Trip): Secret => new Secret(JSON.stringify(trip));
const readTrip = (context: Secret): Trip => JSON.parse(context.reveal()) as Trip;
