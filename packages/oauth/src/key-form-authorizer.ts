import {
  ok,
  permissionsOf,
  permissionsWanted,
  type Clock,
  type ConnectWay,
  type KeyFormFacts,
  type Manifest,
  type Outbound,
} from '@switchboard/domain';
import { refuseAnswer } from './atproto-answers.js';
import { keyLine, pairSentAs, type KeptKey, type SentKey } from './key-line.js';
import { placeOf, readName } from './named-account.js';
import type { Origins } from './oauth2-authorizer.js';
import type { Scheme } from './scheme.js';
import { storedJson } from './stored-json.js';

export interface KeyFormDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly origins: Origins;
  /** Servers without TLS: for development, and for hosts that the operator opened. */
  readonly allowHttp: boolean;
}

/** How the key is sent was decided when it was typed: a header and what stands in it, its place in the path, or what signs every request. */
type Credential = { readonly kind: 'key_form' } & KeptKey;

const credentials = storedJson<Credential>('key_form');

/** What is typed is the credential. Whether it is right shows when the account behind it is asked for. */
export function keyFormAuthorizer({
  outbound,
  clock,
  origins,
  allowHttp,
}: KeyFormDeps): Scheme & Required<Pick<Scheme, 'login'>> {
  return {
    async login({ manifest, way, answers }) {
      const facts = factsOf(way);
      const found = serverOf(manifest, facts, answers, origins(manifest.id), allowHttp);
      if (!found.ok) return found;
      const { server } = found;
      const unsendable = fieldsOf(facts.send).find((name) => !isSendable(answers[name] ?? ''));
      if (unsendable !== undefined) {
        return refuseAnswer(unsendable, 'There is a character in it that no key has. Copy it again.');
      }
      const credential = credentials.write({
        kind: 'key_form',
        ...sentAs(facts.send, answers, server),
        account: facts.accountField && (answers[facts.accountField] ?? '').trim(),
        obtainedAt: clock.now().toISOString(),
      });
      const permissions = permissionsWanted(permissionsOf(manifest, way.id));
      return ok({ credential, accessExpiresAt: null, expiresAt: null, permissions, server });
    },

    open(secret) {
      return keyLine(outbound, clock, credentials.read(secret));
    },

    /** A key does not renew itself: one that is refused was taken back. */
    renew: async () => ({ kind: 'over' }),

    /** It is its owner's, who made it there and takes it back there. */
    revoke: async () => ok(),
  };
}

function factsOf({ id, keyForm }: ConnectWay): KeyFormFacts {
  if (!keyForm) throw new Error(`the way ${id} does not say how its key is sent`);
  return keyForm;
}

/** Where the key is sent to; null: where the platform has all accounts. */
function serverOf(
  manifest: Manifest,
  { serverField, account }: KeyFormFacts,
  answers: Readonly<Record<string, string>>,
  origins: ReturnType<Origins>,
  allowHttp: boolean,
): { readonly ok: true; readonly server: string | null } | ReturnType<typeof refuseAnswer> {
  if (account) {
    const name = readName(account, answers);
    return name === null
      ? refuseAnswer(account.field, 'There is no account in this. Copy it again.')
      : { ok: true, server: placeOf(account, name, origins).server };
  }
  if (serverField === null) return { ok: true, server: null };
  const server = readStoreUrl(answers[serverField], allowHttp);
  return server === null ? refuseAnswer(serverField, askForServer(manifest)) : { ok: true, server };
}

/** What to type where the address of the account's own server is asked for and none was given. */
const askForServer = ({ kind }: Manifest): string =>
  kind === 'commerce'
    ? 'Type the address of the store, such as https://shop.example.'
    : 'Type the address of the server, such as https://social.example.';

function fieldsOf(send: KeyFormFacts['send']): readonly string[] {
  switch (send.kind) {
    case 'basic':
      return [send.nameField, send.passwordField].filter((field) => field !== null);
    case 'oauth1':
      return [send.keyField, send.secretField, send.tokenField, send.tokenSecretField].filter(
        (field) => field !== null,
      );
    default:
      return [send.field];
  }
}

export const isSendable = (text: string): boolean => /^[\x21-\x7e]+$/.test(text.trim());

function sentAs(
  send: KeyFormFacts['send'],
  answers: Readonly<Record<string, string>>,
  server: string | null,
): SentKey {
  const typed = (field: string) => (answers[field] ?? '').trim();
  const perhaps = (field: string | null) => (field === null ? null : typed(field));
  switch (send.kind) {
    case 'bearer':
      return { header: ['authorization', `Bearer ${typed(send.field)}`] };
    case 'header':
      return { header: [send.name.toLowerCase(), (send.before ?? '') + typed(send.field)] };
    case 'path':
      return { inPath: typed(send.field) };
    case 'oauth1':
      return {
        signs: {
          consumerKey: typed(send.keyField),
          consumerSecret: typed(send.secretField),
          token: perhaps(send.tokenField),
          tokenSecret: perhaps(send.tokenSecretField),
        },
      };
    case 'basic': {
      const password = perhaps(send.passwordField) ?? '';
      return pairSentAs(typed(send.nameField), password, {
        signs: send.signsOverHttp === true && server?.startsWith('http://') === true,
      });
    }
  }
}

/**
 * The store's address as people copy it, from the browser's address bar too: the scheme may be missing, a path is kept
 * since a shop may live below one, question marks and fragments are not. Null when it is none.
 */
export function readStoreUrl(typed: string | undefined, allowHttp: boolean): string | null {
  const text = (typed ?? '').replace(/[\p{Cc}\p{Cf}\s]/gu, '');
  const complete = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  if (text === '' || !URL.canParse(complete)) return null;
  const { protocol, username, password, origin, pathname, hostname } = new URL(complete);
  const plain = protocol === 'https:' || (allowHttp && protocol === 'http:');
  const named = /[.:]/.test(hostname) || hostname === 'localhost' || complete === text;
  if (!plain || username !== '' || password !== '' || !named) return null;
  return origin + pathname.replace(/\/+$/, '');
}
