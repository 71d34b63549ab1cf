import {
  ok,
  permissionsOf,
  listRequiredPermissions,
  type Clock,
  type ConnectMethod,
  type KeyFormFacts,
  type Manifest,
  type Outbound,
} from '@switchboard/domain';
import { refuseFormField } from './atproto-login.js';
import {
  createKeyTransport,
  placeKeyPair,
  type StoredKey,
  type KeyPlacement,
} from './create-key-transport.js';
import { resolveAccountOrigins, parseAccountName } from './named-account.js';
import type { OriginResolver } from './oauth2-authorizer.js';
import type { AuthScheme } from './auth-scheme.js';
import { storedJson } from './stored-json.js';

export interface KeyFormDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly origins: OriginResolver;
  /** Servers without TLS: for development, and for hosts that the operator opened. */
  readonly allowHttp: boolean;
}

/** How the key is sent was decided when it was typed: a header and what stands in it, its place in the path, or what signs every request. */
type KeyFormCredential = { readonly kind: 'key_form' } & StoredKey;

const credentials = storedJson<KeyFormCredential>('key_form');

/** What is typed is the credential. Whether it is right shows when the account behind it is asked for. */
export function keyFormAuthorizer({
  outbound,
  clock,
  origins,
  allowHttp,
}: KeyFormDeps): AuthScheme & Required<Pick<AuthScheme, 'login'>> {
  return {
    async login({ manifest, connectMethod, fieldValues: answers }) {
      const facts = getKeyFormFacts(connectMethod);
      const serverResult = readServerField(manifest, facts, answers, origins(manifest.id), allowHttp);
      if (!serverResult.ok) return serverResult;
      const { server } = serverResult;
      const invalidField = listKeyFields(facts.send).find((name) => !isSendable(answers[name] ?? ''));
      if (invalidField !== undefined) {
        return refuseFormField(invalidField, 'There is a character in it that no key has. Copy it again.');
      }
      const credential = credentials.write({
        kind: 'key_form',
        ...createKeyPlacement(facts.send, answers, server),
        account: facts.accountField && (answers[facts.accountField] ?? '').trim(),
        obtainedAt: clock.now().toISOString(),
      });
      const permissions = listRequiredPermissions(permissionsOf(manifest, connectMethod.id));
      return ok({ credential, accessExpiresAt: null, expiresAt: null, permissions, server });
    },

    open(secret) {
      return createKeyTransport(outbound, clock, credentials.read(secret));
    },

    /** A key does not renew itself: one that is refused was taken back. */
    renew: async () => ({ kind: 'over' }),

    /** It is its owner's, who made it there and takes it back there. */
    revoke: async () => ok(),
  };
}

function getKeyFormFacts({ id, keyForm }: ConnectMethod): KeyFormFacts {
  if (!keyForm) throw new Error(`the way ${id} does not say how its key is sent`);
  return keyForm;
}

/** Where the key is sent to; null: where the platform has all accounts. */
function readServerField(
  manifest: Manifest,
  { serverField, account }: KeyFormFacts,
  answers: Readonly<Record<string, string>>,
  origins: ReturnType<OriginResolver>,
  allowHttp: boolean,
): { readonly ok: true; readonly server: string | null } | ReturnType<typeof refuseFormField> {
  if (account) {
    const name = parseAccountName(account, answers);
    return name === null
      ? refuseFormField(account.field, 'There is no account in this. Copy it again.')
      : { ok: true, server: resolveAccountOrigins(account, name, origins).server };
  }
  if (serverField === null) return { ok: true, server: null };
  const server = parseStoreUrl(answers[serverField], allowHttp);
  return server === null ? refuseFormField(serverField, createServerPrompt(manifest)) : { ok: true, server };
}

/** What to type where the address of the account's own server is asked for and none was given. */
const createServerPrompt = ({ kind }: Manifest): string =>
  kind === 'commerce'
    ? 'Type the address of the store, such as https://shop.example.'
    : 'Type the address of the server, such as https://social.example.';

function listKeyFields(send: KeyFormFacts['send']): readonly string[] {
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

function createKeyPlacement(
  send: KeyFormFacts['send'],
  answers: Readonly<Record<string, string>>,
  server: string | null,
): KeyPlacement {
  const readField = (field: string) => (answers[field] ?? '').trim();
  const readOptionalField = (field: string | null) => (field === null ? null : readField(field));
  switch (send.kind) {
    case 'bearer':
      return { header: ['authorization', `Bearer ${readField(send.field)}`] };
    case 'header':
      return { header: [send.name.toLowerCase(), (send.before ?? '') + readField(send.field)] };
    case 'path':
      return { inPath: readField(send.field) };
    case 'oauth1':
      return {
        signs: {
          consumerKey: readField(send.keyField),
          consumerSecret: readField(send.secretField),
          token: readOptionalField(send.tokenField),
          tokenSecret: readOptionalField(send.tokenSecretField),
        },
      };
    case 'basic': {
      const password = readOptionalField(send.passwordField) ?? '';
      return placeKeyPair(readField(send.nameField), password, {
        signs: send.signsOverHttp === true && server?.startsWith('http://') === true,
      });
    }
  }
}

/**
 * The store's address as people copy it, from the browser's address bar too: the scheme may be missing, a path is kept
 * since a shop may live below one, question marks and fragments are not. Null when it is none.
 */
export function parseStoreUrl(typed: string | undefined, allowHttp: boolean): string | null {
  const text = (typed ?? '').replace(/[\p{Cc}\p{Cf}\s]/gu, '');
  const complete = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  if (text === '' || !URL.canParse(complete)) return null;
  const { protocol, username, password, origin, pathname, hostname } = new URL(complete);
  const isAllowedScheme = protocol === 'https:' || (allowHttp && protocol === 'http:');
  const isQualifiedHost = /[.:]/.test(hostname) || hostname === 'localhost' || complete === text;
  if (!isAllowedScheme || username !== '' || password !== '' || !isQualifiedHost) return null;
  return origin + pathname.replace(/\/+$/, '');
}
