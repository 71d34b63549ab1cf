import { mapSettled } from '../map-settled.js';
import type { ConnectChoice } from './connect-session.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { revokeUnusedGrant } from './revoke-unused-grant.js';
import { choiceBinding, parseLogin } from './pending-login.js';

const BATCH = 20;
/** After this time a platform is assumed to never accept the revocation. */
const RETRY_WINDOW_MS = 86_400_000;

/** Revokes the logins of abandoned choices. A failed revocation is retried with the next sweep, for a day. */
export async function sweepChoices(
  ports: Pick<
    Ports,
    'connectSessions' | 'connections' | 'manifests' | 'authorizers' | 'vault' | 'transactions' | 'clock'
  >,
  stop: AbortSignal,
): Promise<void> {
  await mapSettled(await ports.connectSessions.listAbandonedChoices(BATCH), stop, async (choice) => {
    // The person made a selection at the last moment.
    if (!(await isAbandoned(ports, choice))) return;
    const isRetryOver = choice.expiresAt.getTime() <= ports.clock.now().getTime() - RETRY_WINDOW_MS;
    let isDone = false;
    try {
      isDone = (await revokeLogin(ports, choice)).ok;
    } finally {
      if (isDone || isRetryOver) {
        await ports.transactions.run(async (tx) => ok(await tx.connectSessions.deleteChoice(choice.id)));
      }
    }
  });
}

async function isAbandoned(ports: Pick<Ports, 'transactions'>, { id }: ConnectChoice): Promise<boolean> {
  const abandoned = await ports.transactions.run(async (tx) =>
    ok(await tx.connectSessions.abandonChoice(id)),
  );
  return abandoned.ok && abandoned.value;
}

async function revokeLogin(
  ports: Pick<Ports, 'connectSessions' | 'connections' | 'manifests' | 'authorizers' | 'vault'>,
  {
    id,
    sessionId,
    workspaceId,
    platform,
    connectMethod: connectMethodId,
    sealedLogin,
    accounts,
  }: ConnectChoice,
): Promise<Result<unknown>> {
  const manifest = ports.manifests.find(platform);
  const connectMethod = manifest?.connect.find((one) => one.id === connectMethodId);
  const session = await ports.connectSessions.find(workspaceId, sessionId);
  if (!manifest || !connectMethod || !session) return ok();
  const vault = await ports.vault.unlock(workspaceId);
  if (!vault.ok) return vault;
  const opened = vault.value.open(choiceBinding(id), sealedLogin);
  if (!opened.ok) return ok();
  const { grant } = parseLogin(opened.value);
  const remoteAccountIds = accounts.map((account) => account.id);
  return revokeUnusedGrant(ports, {
    workspaceId,
    profileId: session.profileId,
    manifest,
    connectMethod,
    grant,
    remoteAccountIds,
  });
}
