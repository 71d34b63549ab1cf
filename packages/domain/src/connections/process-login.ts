import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type { FoundAccount, Grant, PlatformFailureCode, Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { accountServerOf, identityOf, isSameAccount } from './account-identity.js';
import type { ConnectSession } from './connect-session.js';
import { revokeUnusedGrant } from './revoke-unused-grant.js';
import { choiceBinding, serializeLogin } from './pending-login.js';
import { readAccounts, withoutCredential, type PlatformLogin } from './read-accounts.js';
import { storeAccounts, type ConnectStep, type StoreAccountsFailureCode } from './store-accounts.js';

export type LoginPorts = Pick<
  Ports,
  'authorizers' | 'platforms' | 'transactions' | 'vault' | 'ids' | 'clock' | 'connections' | 'tokens'
>;

export type ProcessLoginFailureCode =
  | PlatformFailureCode
  | 'platform.not_found'
  | 'connect.nothing_to_choose'
  | StoreAccountsFailureCode;

interface ProcessLogin extends PlatformLogin {
  readonly session: ConnectSession;
  /** The secret in the cookie of the browser that logged in. */
  readonly browser: string;
}

/**
 * Reads which accounts a login opens. A single account is connected at once; several are kept until their
 * owner has selected some.
 */
export async function processLogin(
  ports: LoginPorts,
  call: Call,
  { session, browser, ...login }: ProcessLogin,
): Promise<Result<ConnectStep, ProcessLoginFailureCode>> {
  const { workspaceId, profileId } = session;
  const { manifest, connectMethod, grant } = login;
  const found = await readAccounts(ports, call, login);
  if (!found.ok) {
    await revokeUnusedGrant(ports, { workspaceId, profileId, ...login, remoteAccountIds: null });
    return found;
  }
  const [only, ...others] = await selectMeantAccounts(ports, session, login, found.value);
  const remoteAccountIds = found.value.map(({ id }) => id);
  if (!only) {
    await revokeUnusedGrant(ports, { workspaceId, profileId, ...login, remoteAccountIds });
    return refuse('connect.nothing_to_choose', 'This login has no account that can be connected.');
  }
  const grantOf = ({ credential, permissions = grant.permissions }: FoundAccount): Grant => ({
    ...(credential ? ports.authorizers.createAccountGrant(connectMethod, grant, credential) : grant),
    permissions,
  });
  const withOwnGrant = found.value.filter(
    ({ credential, permissions }) => credential !== undefined || permissions !== undefined,
  );
  const grants = new Map(withOwnGrant.map((one) => [one.id, grantOf(one)]));
  const chosen = [{ account: withoutCredential(only), grant: grantOf(only) }];
  const settled =
    others.length > 0
      ? await storeChoice(ports, session, browser, login, found.value, grants)
      : await storeAccounts(ports, call, { session, manifest, connectMethod, chosen });
  if (!settled.ok) await revokeUnusedGrant(ports, { workspaceId, profileId, ...login, remoteAccountIds });
  return settled;
}

/**
 * For a reconnection: the account to reconnect, or else any other, which is then reported as the wrong one.
 */
async function selectMeantAccounts(
  ports: Pick<Ports, 'connections'>,
  { workspaceId, reconnects }: ConnectSession,
  { manifest, grant }: Pick<PlatformLogin, 'manifest' | 'grant'>,
  accounts: readonly FoundAccount[],
): Promise<readonly FoundAccount[]> {
  if (reconnects === null) return accounts;
  const known = await ports.connections.find(workspaceId, reconnects);
  const at = { platform: manifest.id, server: accountServerOf(manifest, grant.server) };
  const same = known && accounts.find(({ id }) => isSameAccount(identityOf(known), { ...at, id }));
  return same ? [same] : accounts.slice(0, 1);
}

async function storeChoice(
  ports: LoginPorts,
  session: ConnectSession,
  browser: string,
  { manifest, connectMethod, grant }: PlatformLogin,
  accounts: readonly FoundAccount[],
  own: ReadonlyMap<string, Grant>,
): Promise<Result<ConnectStep, ProcessLoginFailureCode>> {
  const vault = await ports.vault.unlock(session.workspaceId);
  if (!vault.ok) return vault;
  const id = ports.ids.next('cch');
  await ports.transactions.run(async (tx) => {
    await tx.connectSessions.insertChoice({
      id,
      sessionId: session.id,
      workspaceId: session.workspaceId,
      platform: manifest.id,
      connectMethod: connectMethod.id,
      browserHash: ports.tokens.digest(browser),
      sealedLogin: vault.value.seal(choiceBinding(id), serializeLogin({ grant, accountGrants: own })),
      accounts: accounts.map(withoutCredential),
      accountServer: accountServerOf(manifest, grant.server),
      expiresAt: session.expiresAt,
    });
    return ok();
  });
  return ok({ kind: 'choose', session });
}
