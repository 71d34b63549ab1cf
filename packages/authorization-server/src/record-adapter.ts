import { parseId, ok, type ClientId } from '@switchboard/domain';
import type { Scope } from '@switchboard/domain/access';
import { endClient } from '@switchboard/domain/clients';
import type { OAuthRecord, OAuthRecordKind, Ports } from '@switchboard/domain/ports';
import { currentRequestId } from './current-request-id.js';
import Provider, { errors, type Adapter, type AdapterPayload } from 'oidc-provider';

export type RecordPorts = Pick<
  Ports,
  'transactions' | 'oauthRecords' | 'clients' | 'apiKeys' | 'tokens' | 'clock' | 'settings'
>;

/** The models of the library that are stored as records. */
const kinds: Readonly<Record<string, OAuthRecordKind>> = {
  Interaction: 'interaction',
  AuthorizationCode: 'authorization_code',
  AccessToken: 'access_token',
  RefreshToken: 'refresh_token',
  Client: 'client',
  ReplayDetection: 'replay_detection',
};

/**
 * There are no users who could be signed in, so that the invitation is asked for every time; and no client
 * obtains a token by itself, which a revocation looks for.
 */
const withoutRecords: readonly string[] = ['Session', 'ClientCredentials'];

/** The storage of oidc-provider, for each of its models. */
export const recordAdapters =
  (ports: RecordPorts) =>
  (model: string): Adapter => {
    if (withoutRecords.includes(model)) return emptyAdapter;
    if (model === 'Grant') return grantAdapter(ports);
    const kind = kinds[model];
    if (kind === undefined) throw new Error(`the model ${model} is not stored`);
    return recordAdapter(ports, kind);
  };

const emptyAdapter: Adapter = {
  upsert: () => Promise.resolve(),
  find: () => Promise.resolve(),
  findByUid: () => Promise.resolve(),
  findByUserCode: () => Promise.resolve(),
  consume: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
  revokeByGrantId: () => Promise.resolve(),
};

/**
 * Replaces the identifier of a record in its payload, which would reveal the code or token of which only the
 * digest is stored.
 */
const OWN_ID = '{id}';

/** The kinds that belong to an authorized client, and end with it. */
const ownedKinds: readonly OAuthRecordKind[] = ['authorization_code', 'access_token', 'refresh_token'];

/** The identifier of a registration is public, and queries read it. */
const hasSecretId = (kind: OAuthRecordKind): boolean => kind !== 'client';

function recordAdapter(ports: RecordPorts, kind: OAuthRecordKind): Adapter {
  const { tokens, clock } = ports;
  const conceal = (id: string, payload: AdapterPayload): OAuthRecord['payload'] => {
    const text = JSON.stringify(hashClientSecret(payload), rejectUnstorable);
    return JSON.parse(hasSecretId(kind) ? text.replaceAll(id, OWN_ID) : text) as OAuthRecord['payload'];
  };
  const reveal = (id: string, payload: OAuthRecord['payload']): AdapterPayload => {
    const text = JSON.stringify(payload);
    return JSON.parse(hasSecretId(kind) ? text.replaceAll(OWN_ID, id) : text) as AdapterPayload;
  };
  /** A stolen database does not contain it; `compareClientSecret` hashes what a client presents. */
  const hashClientSecret = ({ client_secret: secret, ...payload }: AdapterPayload): AdapterPayload => ({
    ...payload,
    ...(secret !== undefined && { client_secret: tokens.digestHex(secret) }),
  });
  const change = (work: (records: ChangeableRecords) => Promise<boolean | void>) =>
    ports.transactions.run(async (tx) => ok((await work(tx.oauthRecords)) ?? true));

  return {
    ...emptyAdapter,
    async upsert(id, payload, expiresInSeconds) {
      const stored = await change((records) =>
        records.store({
          kind,
          digest: tokens.digest(id),
          clientId: ownedKinds.includes(kind) ? clientOf(payload) : null,
          payload: conceal(id, payload),
          token: kind === 'access_token' ? tokenOf(payload) : null,
          expiresAt: expiresInSeconds === undefined ? null : clock.after(expiresInSeconds * 1000),
        }),
      );
      if (!stored.ok || !stored.value) throw new errors.InvalidGrant('the access of this client has ended');
    },
    async find(id) {
      const record = await ports.oauthRecords.find(kind, tokens.digest(id));
      if (!record) return;
      const consumed = record.consumedAt && Math.floor(record.consumedAt.getTime() / 1000);
      return { ...reveal(id, record.payload), ...(consumed !== null && { consumed }) };
    },
    async consume(id) {
      const digest = tokens.digest(id);
      const first = await change((records) => records.consume(kind, digest));
      if (first.ok && first.value) return;
      // Two requests presented it at once: one of them is not the client.
      const record = await ports.oauthRecords.find(kind, digest);
      if (record?.clientId) await endClient(ports, currentRequestId(), record.clientId, 'token_reused');
      throw new errors.InvalidGrant('it was already used');
    },
    async destroy(id) {
      await change((records) => records.delete(kind, tokens.digest(id)));
    },
  };
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair in JSON, and no request needs them. */
function rejectUnstorable(_name: string, value: unknown): unknown {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
    throw new errors.InvalidRequest('the request has a character that is not allowed');
  return value;
}

type ChangeableRecords = Parameters<Parameters<Ports['transactions']['run']>[0]>[0]['oauthRecords'];

const clientOf = ({ grantId }: AdapterPayload): ClientId | null =>
  grantId === undefined ? null : parseId('cli', grantId);

function tokenOf({ scope, aud }: AdapterPayload): NonNullable<OAuthRecord['token']> {
  if (typeof aud !== 'string') throw new Error('an access token has one audience');
  return { scopes: (scope ?? '').split(' ') as Scope[], audience: aud };
}

/** An authorized client is the grant: it exists before the library knows it, and its end ends all tokens. */
const grantAdapter = (ports: RecordPorts): Adapter => ({
  ...emptyAdapter,
  async find(id) {
    const clientId = parseId('cli', id);
    const client = clientId && (await ports.clients.findById(clientId));
    if (!client || client.revokedAt !== null) return;
    return {
      jti: client.id,
      kind: 'Grant',
      accountId: client.id,
      clientId: client.oauthClientId,
      resources: { [ports.settings.mcpUrl]: client.scopes.join(' ') },
      iat: Math.floor(client.createdAt.getTime() / 1000),
      exp: NEVER,
    };
  },
  async destroy(id) {
    const clientId = parseId('cli', id);
    const isSignOut = Provider.ctx?.oidc.route === 'revocation';
    if (clientId)
      await endClient(ports, currentRequestId(), clientId, isSignOut ? 'signed_out' : 'token_reused');
  },
});

/** The year 2100: a grant ends when its client does. */
const NEVER = 4_102_444_800;
