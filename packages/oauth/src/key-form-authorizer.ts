import { ok, refuse, type Result } from '@switchboard/domain';
import { permissionsOf, listRequiredPermissions } from '@switchboard/domain/connections';
import type { ConnectMethod, ImportRequest, JwtFacts, KeyFormFacts } from '@switchboard/domain/ports';
import { refuseFormField } from './atproto-login.js';
import {
  createKeyTransport,
  placeKeyPair,
  type StoredKey,
  type KeyPlacement,
} from './create-key-transport.js';
import { refuseImport, refuseServer } from './import-tokens.js';
import type { EnteredLoginDeps } from './password-login-authorizer.js';
import type { AuthScheme } from './auth-scheme.js';
import { readServerField } from './read-server-field.js';
import { readSigningKey, signingFieldsOf } from './sign-jwt.js';
import { storedJson } from './stored-json.js';

/**
 * The placement of the key, decided when it was entered: a header and its value, a place in the URL, or
 * what signs every request.
 */
type KeyFormCredential = { readonly kind: 'key_form' } & StoredKey;

const credentials = storedJson<KeyFormCredential>('key_form');

/** The entered values are the credential. The account lookup that follows verifies them. */
export function keyFormAuthorizer({
  outbound,
  clock,
  origins,
  allowHttp,
}: EnteredLoginDeps): AuthScheme & Required<Pick<AuthScheme, 'login'>> {
  const scheme: AuthScheme & Required<Pick<AuthScheme, 'login'>> = {
    async login({ manifest, connectMethod, fieldValues: typed }) {
      const facts = getKeyFormFacts(connectMethod);
      const fieldValues = dropSpaces(facts.send, typed);
      const serverResult = readServerField(manifest, facts, fieldValues, origins(manifest.id), allowHttp);
      if (!serverResult.ok) return serverResult;
      const { server } = serverResult;
      const placement =
        facts.send.kind === 'jwt'
          ? readSigningKey(facts.send, fieldValues)
          : createKeyPlacement(facts.send, fieldValues, server);
      if ('invalidField' in placement) {
        return refuseFormField(placement.invalidField, 'This is not a valid key. Copy it again.');
      }
      const invalidField = listKeyFields(facts.send).find((name) => !isSendable(fieldValues[name] ?? ''));
      if (invalidField !== undefined) {
        return refuseFormField(invalidField, 'The key contains an invalid character. Copy it again.');
      }
      const credential = credentials.write({
        kind: 'key_form',
        ...placement,
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

    async importGrant(request) {
      const fieldValues = toFieldValues(request);
      if (!fieldValues.ok) return fieldValues;
      const { manifest, connectMethod } = request;
      if (
        connectMethod.fields.some(({ name, required }) => required && fieldValues.value[name] === undefined)
      ) {
        return refuse(
          'connection.import_unsupported',
          `A key of ${manifest.name} has more parts than a row: connect the account again.`,
        );
      }
      const login = await scheme.login({ ...request, fieldValues: fieldValues.value });
      if (!login.ok) return login;
      const { permissions = login.value.permissions, expiresAt = null } = request;
      return ok({ grant: { ...login.value, permissions, expiresAt }, isObtained: false });
    },
  };
  return scheme;
}

/** The values of the form: the key is the access token, the account or its server are what the row names. */
function toFieldValues({
  manifest: { name },
  connectMethod,
  server,
  accountId,
  accessToken,
}: ImportRequest): Result<Readonly<Record<string, string>>, 'connection.import_invalid'> {
  const { serverField, account, accountField, send } = getKeyFormFacts(connectMethod);
  const place = account?.field ?? serverField;
  if (place === null && server !== undefined) return refuseServer({ name });
  if (place !== null && server === undefined) {
    const { label = '', placeholder = '' } = connectMethod.fields.find((field) => field.name === place) ?? {};
    return refuseImport(`Send server: ${label}, such as ${placeholder}.`);
  }
  if (accountField !== undefined && accountId === undefined) {
    return refuseImport(`One key opens many accounts at ${name}: send the account_id of one.`);
  }
  const values = {
    ...(place !== null && server !== undefined && { [place]: server }),
    ...(accountField !== undefined && accountId !== undefined && { [accountField]: accountId }),
  };
  const key = accessToken.reveal();
  switch (send.kind) {
    case 'oauth1':
      return refuseImport(`Keys of ${name} that sign requests cannot be imported: send an access token.`);
    case 'basic': {
      if (send.passwordField === null) return ok({ ...values, [send.nameField]: key });
      const [, user, password] = /^([^:]+):(.+)$/.exec(key) ?? [];
      return user === undefined || password === undefined
        ? refuseImport(
            `A key of ${name} has two parts: send them as access_token, with a colon between them.`,
          )
        : ok({ ...values, [send.nameField]: user, [send.passwordField]: password });
    }
    case 'jwt':
      return ok({ ...values, [send.keyField]: key });
    default:
      return ok({ ...values, [send.field]: key });
  }
}

function getKeyFormFacts({ id, keyForm }: ConnectMethod): KeyFormFacts {
  if (!keyForm) throw new Error(`the connect method ${id} has no keyForm settings`);
  return keyForm;
}

/** The values without the spaces with which a platform displays a password. */
function dropSpaces(send: KeyFormFacts['send'], values: Readonly<Record<string, string>>) {
  if (send.kind !== 'basic' || !send.ignoresSpaces || send.passwordField === null) return values;
  const { passwordField } = send;
  return { ...values, [passwordField]: (values[passwordField] ?? '').replace(/\s/g, '') };
}

/** The fields whose values are sent, which therefore are visible ASCII. */
function listKeyFields(send: KeyFormFacts['send']): readonly string[] {
  switch (send.kind) {
    case 'jwt':
      return signingFieldsOf(send);
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
  send: Exclude<KeyFormFacts['send'], JwtFacts>,
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
    case 'query':
      return { inQuery: { name: send.name, key: readField(send.field) } };
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
