import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ConnectSession } from './connect-session.js';
import { applyExpiry } from './get-connect-session.js';
import { choiceBinding, parseLogin } from './pending-login.js';
import { storeAccounts, type ConnectStep, type StoreAccountsFailureCode } from './store-accounts.js';

interface ChooseAccounts {
  readonly session: ConnectSession;
  /** The choice that the page showed, so that an outdated page chooses nothing. */
  readonly choiceId: string;
  readonly browser: string;
  readonly accountIds: readonly string[];
}

/** Connects the accounts of a login that its owner selected. The other accounts are not stored. */
export async function chooseAccounts(
  ports: Pick<Ports, 'connectSessions' | 'manifests' | 'tokens' | 'transactions' | 'vault' | 'ids' | 'clock'>,
  call: Call,
  { session, choiceId, browser, accountIds }: ChooseAccounts,
): Promise<Result<ConnectStep, StoreAccountsFailureCode>> {
  if (applyExpiry(session, ports.clock.now()).status !== 'pending') return notFound('connect_session');
  const { workspaceId, id } = session;
  const choice = await ports.connectSessions.findChoice(workspaceId, id, ports.tokens.digest(browser));
  const manifest = choice?.id === choiceId ? ports.manifests.find(choice.platform) : null;
  const connectMethod = manifest?.connect.find((one) => one.id === choice?.connectMethod);
  if (!choice || !manifest || !connectMethod) return notFound('connect_session');
  const accounts = choice.accounts.filter((account) => accountIds.includes(account.id));
  if (accounts.length === 0) return refuse('connect.choice_invalid', 'Choose at least one account.');
  const vault = await ports.vault.unlock(workspaceId);
  if (!vault.ok) return vault;
  const opened = vault.value.open(choiceBinding(choice.id), choice.sealedLogin);
  if (!opened.ok) return opened;
  const { grant, accountGrants } = parseLogin(opened.value);
  const chosen = accounts.map((account) => ({ account, grant: accountGrants.get(account.id) ?? grant }));
  return storeAccounts(ports, call, { session, manifest, connectMethod, chosen }, async (tx) =>
    (await tx.connectSessions.consumeChoice(choice.id)) ? ok() : notFound('connect_session'),
  );
}
