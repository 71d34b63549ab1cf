import type { Ports } from '../ports/index.js';
import { ok } from '../result.js';
import type { ConnectSession } from './connect-session.js';

/**
 * None of a login's accounts is meant. The session goes on; the login is given back with the other abandoned ones.
 * `choiceId` is the one that was shown, so that a page of before drops nothing.
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
