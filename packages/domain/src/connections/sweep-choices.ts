import { eachAlone } from '../each-alone.js';
import type { ConnectChoice } from './connect-session.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { giveBack } from './give-back.js';
import { choiceBinding, readLogin } from './kept-login.js';

const BATCH = 20;
/** A platform that takes a login back by then never will. */
const TRIED_FOR_MS = 86_400_000;

/** Gives back the logins from which nobody chose. What cannot be given back now is tried again with the next sweep, for a day. */
export async function sweepChoices(
  ports: Pick<
    Ports,
    'connectSessions' | 'connections' | 'manifests' | 'authorizers' | 'vault' | 'transactions' | 'clock'
  >,
  stop: AbortSignal,
): Promise<void> {
  await eachAlone(await ports.connectSessions.listAbandonedChoices(BATCH), stop, async (choice) => {
    // Somebody who chose at the last moment was quicker.
    if (!(await isAbandoned(ports, choice))) return;
    const givenUp = choice.expiresAt.getTime() <= ports.clock.now().getTime() - TRIED_FOR_MS;
    let isDone = false;
    try {
      isDone = (await giveLoginBack(ports, choice)).ok;
    } finally {
      if (isDone || givenUp) {
        await ports.transactions.run(async (tx) => ok(await tx.connectSessions.deleteChoice(choice.id)));
      }
    }
  });
}

async function isAbandoned(ports: Pick<Ports, 'transactions'>, { id }: ConnectChoice): Promise<boolean> {
  const still = await ports.transactions.run(async (tx) => ok(await tx.connectSessions.abandonChoice(id)));
  return still.ok && still.value;
}

async function giveLoginBack(
  ports: Pick<Ports, 'connectSessions' | 'connections' | 'manifests' | 'authorizers' | 'vault'>,
  { id, sessionId, workspaceId, platform, way: wayId, sealedLogin, accounts }: ConnectChoice,
): Promise<Result<unknown>> {
  const manifest = ports.manifests.find(platform);
  const way = manifest?.connect.find((one) => one.id === wayId);
  const session = await ports.connectSessions.find(workspaceId, sessionId);
  if (!manifest || !way || !session) return ok();
  const vault = await ports.vault.unlock(workspaceId);
  if (!vault.ok) return vault;
  const opened = vault.value.open(choiceBinding(id), sealedLogin);
  if (!opened.ok) return ok();
  const { grant } = readLogin(opened.value);
  const remoteAccountIds = accounts.map((account) => account.id);
  return giveBack(ports, {
    workspaceId,
    profileId: session.profileId,
    manifest,
    way,
    grant,
    remoteAccountIds,
  });
}
