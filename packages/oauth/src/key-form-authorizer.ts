import { ok } from '@switchboard/domain';
import { permissionsOf, listRequiredPermissions } from '@switchboard/domain/connections';
import type { Clock, ConnectMethod, KeyFormFacts, Manifest, Outbound } from '@switchboard/domain/ports';
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

interface KeyFormDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly origins: OriginResolver;
  /** Allows servers without TLS: for development, and for hosts that the operator allowed. */
  readonly allowHttp: boolean;
}

/**
 * The placement of the key, decided when it was entered: a header and its value, a path segment, or a
 * signature over every request.
 */
type KeyFormCredential = { readonly kind: 'key_form' } & StoredKey;

const credentials = storedJson<KeyFormCredential>('key_form');

/** The entered values are the credential. The account lookup that follows verifies them. */
export function keyFormAuthorizer({
  outbound,
  clock,
  origins,
  allowHttp,
}: KeyFormDeps): AuthScheme & Required<Pick<AuthScheme, 'login'>> {
  return {
    async login({ manifest, connectMethod, fieldValues }) {
      const facts = getKeyFormFacts(connectMethod);
      const serverResult = readServerField(manifest, facts, fieldValues, origins(manifest.id), allowHttp);
      if (!serverResult.ok) return serverResult;
      const { server } = serverResult;
      const invalidField = listKeyFields(facts.send).find((name) => !isSendable(fieldValues[name] ?? ''));
      if (invalidField !== undefined) {
        return refuseFormField(invalidField, 'The key contains an invalid character. Copy it again.');
      }
      const credential = credentials.write({
        kind: 'key_form',
        ...createKeyPlacement(facts.send, fieldValues, server),
        account: facts.accountField && (fieldValues[facts.accountField] ?? '').trim(),
        obtainedAt: clock.now().toISOString(),
      });
      const permissions = listRequiredPermissions(permissionsOf(manifest, connectMethod.id));
      return ok({ credential, accessExpiresAt: null, expiresAt: null, permissions, server });
    },

    open(secret) {
      return createKeyTransport(outbound, clock, credentials.read(secret));
    },

    /** A key cannot be renewed: a rejected key was revoked. */
    renew: async () => ({ kind: 'over' }),

    /** The owner created the key at the platform and revokes it there. */
    revoke: async () => ok(),
  };
}

function getKeyFormFacts({ id, keyForm }: ConnectMethod): KeyFormFacts {
  if (!keyForm) throw new Error(`the connect method ${id} has no keyForm settings`);
  return keyForm;
}

/** The origin that the key is sent to; null: the platform's common origin. */
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
      ? refuseFormField(account.field, 'No account name was found in this value. Copy it again.')
      : { ok: true, server: resolveAccountOrigins(account, name, origins).server };
  }
  if (serverField === null) return { ok: true, server: null };
  const server = parseStoreUrl(answers[serverField], allowHttp);
  return server === null ? refuseFormField(serverField, createServerPrompt(manifest)) : { ok: true, server };
}

/** The prompt when the server URL is required but missing. */
const createServerPrompt = ({ kind }: Manifest): string =>
  kind === 'commerce'
    ? 'Enter the store URL, such as https://shop.example.'
    : 'Enter the server URL, such as https://social.example.';

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
 * Parses a store URL as people copy it, for example from the address bar: the scheme is optional, the path is
 * kept since a store may run in a subdirectory, query and fragment are dropped. Null when it is invalid.
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
