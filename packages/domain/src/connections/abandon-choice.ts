import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';
import type { ConnectSession } from './connect-session.js';

/**
 * Rejects all accounts of a login. The session continues; the sweep revokes the login with the other
 * abandoned ones. `choiceId` is the choice that the page showed, so that an outdated page drops nothing.
 */
export async function abandonChoice(
  ports: Pick<Ports, 'connectSessions' | 'tokens' | 'transactions'>,
  { workspaceId, id }: ConnectSession,
  browser: string,
  choiceId: string,
): Promise<void> {
  const choice = await ports.connectSessions.findChoice(workspaceId, id, ports.tokens.digest(browser));
  if (choice?.id !== choiceId) return;
  await ports.transactions.run(async (tx) => {
    await tx.connectSessions.abandonChoice(choice.id);
    return ok();
  });
}
