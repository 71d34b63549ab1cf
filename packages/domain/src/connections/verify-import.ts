import type { Call } from '../call.js';
import { refuse, type Failure } from '../failure.js';
import { appPlatformOf } from '../platforms/app-platform-of.js';
import { findApp } from '../platforms/find-app.js';
import { findUnknownPlatform } from '../platforms/find-unknown-platform.js';
import type {
  ConnectMethod,
  FoundAccount,
  ImportFailureCode,
  Manifest,
  PlatformFailureCode,
  Ports,
} from '../ports/index.js';
import { resolveProfile } from '../profiles/resolve-profile.js';
import type { Metadata, Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import type { Secret } from '../secret.js';
import type { RemoteAccount } from './connection.js';
import { readAccounts, withoutCredential, type PlatformLogin } from './read-accounts.js';

/** A connection of another system: what its export says about the login. */
export interface ConnectionToImport {
  readonly platform: string;
  readonly profileId?: string | undefined;
  readonly server?: string | undefined;
  readonly accountId?: string | undefined;
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  readonly expiresAt?: Date | undefined;
  readonly permissions?: readonly string[] | undefined;
  readonly app?: { readonly clientId: string } | undefined;
  readonly externalId?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

export interface VerifiedImport extends PlatformLogin {
  readonly profile: Profile;
  readonly account: RemoteAccount;
  /** Revokes what the import has obtained itself; the login of another system is never revoked. */
  release(): Promise<void>;
}

export type VerifyImportFailureCode =
  | ImportFailureCode
  | PlatformFailureCode
  | 'platform.not_found'
  | 'profile.not_found'
  | 'connect.profile_required'
  | 'connect.wrong_account'
  | 'connect.nothing_to_choose';

export type VerifyImportPorts = Pick<
  Ports,
  'authorizers' | 'platforms' | 'manifests' | 'platformApps' | 'profiles'
>;

/** Reads the account of an imported login from its platform. Nothing is stored. */
export async function verifyImport(
  ports: VerifyImportPorts,
  call: Call,
  row: ConnectionToImport,
): Promise<Result<VerifiedImport, VerifyImportFailureCode>> {
  const manifest = ports.manifests.find(row.platform);
  const unknown = findUnknownPlatform(ports.manifests, [row.platform]);
  if (unknown) return unknown;
  if (!manifest) return refuse('platform.not_found', 'This platform is not installed.');
  const found = await resolveProfile(ports, call, row.profileId);
  if (!found.ok) return found;
  const profile = found.value;
  const way = await selectConnectMethod(ports, profile, manifest, row);
  if (!way.ok) return way;
  const { connectMethod, clientId } = way.value;
  const { accountId, server, accessToken, refreshToken, expiresAt, permissions } = row;
  const owner = { workspaceId: profile.workspaceId, profileId: profile.id, manifest, connectMethod };
  const imported = await ports.authorizers.importGrant({
    ...owner,
    clientId,
    server,
    accountId,
    accessToken,
    refreshToken,
    expiresAt,
    permissions,
    signal: call.signal,
  });
  if (!imported.ok) return { ok: false, failure: inTermsOfRows(imported.failure) };
  const { grant, isObtained } = imported.value;
  const release = async () => {
    if (isObtained) await ports.authorizers.revoke({ ...owner, ...grant });
  };
  const accounts = await readAccounts(ports, call, { manifest, connectMethod, grant });
  const meant = accounts.ok ? selectAccount(manifest, connectMethod, accountId, accounts.value) : accounts;
  if (!meant.ok) {
    await release();
    return { ok: false, failure: inTermsOfRows(meant.failure, manifest) };
  }
  const { credential, permissions: granted } = meant.value;
  const own = credential ? ports.authorizers.createAccountGrant(connectMethod, grant, credential) : grant;
  return ok({
    profile,
    manifest,
    connectMethod,
    account: withoutCredential(meant.value),
    grant: { ...own, permissions: granted ?? grant.permissions },
    release,
  });
}

/** The schemes without an app, in the order in which an access token alone is tried for one. */
const appless: readonly ConnectMethod['scheme'][] = ['key_form', 'mastodon_oauth', 'atproto_app_password'];

/**
 * Where the row names an app or has a refresh token, the login of that app: nothing else can renew it. A
 * token alone is a key, where the platform has keys.
 */
async function selectConnectMethod(
  ports: Pick<VerifyImportPorts, 'manifests' | 'platformApps'>,
  { id: profileId, workspaceId }: Profile,
  manifest: Manifest,
  { app, refreshToken }: ConnectionToImport,
): Promise<
  Result<
    { readonly connectMethod: ConnectMethod; readonly clientId: string | null },
    'connection.import_invalid' | 'connection.import_unsupported' | 'platform.not_configured'
  >
> {
  const { id, name, connect } = manifest;
  const withApp = connect.filter(({ scheme }) => scheme === 'oauth2');
  if (app === undefined && refreshToken === undefined) {
    const key = appless
      .flatMap((scheme) => connect.filter((one) => one.scheme === scheme))
      .find(({ keyForm }) => keyForm?.send.kind !== 'oauth1');
    if (key) return ok({ connectMethod: key, clientId: null });
  }
  if (withApp.length === 0) {
    const hasKeys = connect.some(({ scheme }) => appless.includes(scheme));
    if (!hasKeys)
      return refuse(
        'connection.import_unsupported',
        `Logins at ${name} cannot be imported: connect the account again.`,
      );
    return connect.some(({ scheme }) => scheme === 'atproto_oauth')
      ? refuse('connection.import_unsupported', dpopMessage(name))
      : refuse(
          'connection.import_invalid',
          `A login at ${name} belongs to no app and is not renewed: send its access_token without app and refresh_token.`,
        );
  }
  for (const connectMethod of withApp) {
    const platformId = appPlatformOf(manifest, connectMethod);
    const found = await findApp(ports, { workspaceId, profileId, platformId, clientId: app?.clientId });
    if (found) return ok({ connectMethod, clientId: found.clientId });
  }
  return refuse(
    'platform.not_configured',
    `${app ? `No app with this client_id is configured for ${name}` : `No app is configured for ${name}`}. Only the app that a token was issued to can renew it: configure that app (PUT /v1/platforms/${id}/app), or connect the account again.`,
  );
}

export const dpopMessage = (name: string) =>
  `OAuth tokens of ${name} are bound to a key of the client that obtained them (DPoP), so no other system can use them. Import an app password as access_token with the DID as account_id, or connect the account again.`;

/** The account that the row names, or the only one. */
function selectAccount(
  { name }: Manifest,
  { keyForm }: ConnectMethod,
  accountId: string | undefined,
  accounts: readonly FoundAccount[],
): Result<FoundAccount, 'connect.wrong_account' | 'connect.nothing_to_choose' | 'connection.import_invalid'> {
  const [only, ...others] = accounts;
  if (!only) return refuse('connect.nothing_to_choose', 'This login has no account that can be connected.');
  // The value has already selected the account: it may be a name in place of the id.
  const isSelected = keyForm?.accountField !== undefined;
  if (accountId === undefined || isSelected) {
    return others.length === 0
      ? ok(only)
      : refuse(
          'connection.import_invalid',
          `This login opens ${accounts.length} accounts at ${name}: send the account_id of one, and a row for each.`,
        );
  }
  const same = accounts.find(({ id }) => id === accountId);
  return same
    ? ok(same)
    : refuse('connect.wrong_account', `This login at ${name} does not open the account of account_id.`);
}

/** A refusal of a form or of a connected account, for a row of an import. */
function inTermsOfRows<Code extends VerifyImportFailureCode>(
  failure: Failure<Code>,
  manifest?: Manifest,
): Failure<VerifyImportFailureCode> {
  if (failure.code === 'connect.answer_invalid') return { ...failure, code: 'connection.import_invalid' };
  if (failure.code !== 'connection.needs_reauth') return failure;
  return {
    ...failure,
    code: 'connection.import_invalid',
    message: `${manifest?.name ?? 'The platform'} rejects this access token: it has expired, was revoked, or belongs to another platform. Renew it where it is used now, and import the new one.`,
  };
}
