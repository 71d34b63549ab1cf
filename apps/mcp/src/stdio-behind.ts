import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, type Config } from '@switchboard/bootstrap/early';
import { ok, type ApiKey, type Result } from '@switchboard/domain';
import type { Answers, During } from './answers.js';
import type { Caller } from './bind.js';
import type { ListedTool } from './listed-tools.js';
import { isDispatched } from './message-quota.js';
import { shownTools } from './narrowing.js';
import { ProtocolError } from './protocol-error.js';
import { wrongKey } from './read-key.js';
import { writtenTools } from './written-tools.js';

/** How long loading waits for a client to ask for its tools, once they can be listed. */
const LISTING_MS = 100;

/** Takes a message of the protocol from the quotas; answers the refusal of one that is over a quota. */
export type Admit = (message: object) => Promise<Result<undefined>>;

/** What stands behind the protocol over stdio. */
export interface Behind {
  readonly answers: Answers;
  /** Counts a message against the quotas of the key. Those that come before the service is open are counted when it is. */
  readonly admit: Admit;
  /** Rejects with a `ConfigurationError` when the key is none, or the service cannot be opened. */
  readonly opened: Promise<unknown>;
  readonly databaseStopped: Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens in the order in which a client asks: who has the key, which is enough to list tools, then the service, which every
 * call waits for. While something loads nothing is read or answered, so the first step waits for `begin` and the second for
 * whatever comes first: a call, the end of a list, or a little while.
 */
export function openBehind(config: Config, caller: Caller, begin: Promise<unknown>): Behind {
  let go = () => {};
  const called = new Promise<void>((resolve) => (go = resolve));
  const door = begin.then(() => knock(config, caller));
  const opened = door.then(async ({ leave }) => {
    await Promise.race([called, sleep(LISTING_MS)]);
    const { openStdioService } = await import('./stdio-service.js');
    return openStdioService(caller).finally(leave);
  });
  let isOpen = false;
  const early: object[] = [];
  const opening = opened.then(async ({ admit }) => {
    isOpen = true;
    for (const message of early) await admit(message);
  });
  opening.catch(() => undefined);
  const within = async () => (await opened.catch(tellWhy)).answers;
  const inside = async <Found>({ signal }: During, ask: (answers: Answers) => Promise<Found>) => {
    go();
    const answers = await within();
    // What was taken back while it waited is not begun.
    signal.throwIfAborted();
    return ask(answers);
  };
  return {
    opened,
    databaseStopped: opened.then(
      ({ service }) => service.databaseStopped,
      () => new Promise<void>(() => undefined),
    ),
    async admit(message) {
      if (isOpen) return (await opened).admit(message);
      if (!isDispatched(message)) early.push(message);
      return ok();
    },
    answers: {
      async listTools() {
        const { key, written } = await door.catch(tellWhy);
        if (isOpen || key === null) return (await within()).listTools();
        setImmediate(go);
        return shownTools(written, key.scopes, caller.narrowing);
      },
      callTool: (name, given, during) => inside(during, (answers) => answers.callTool(name, given, during)),
      listResources: (cursor, during) => inside(during, (answers) => answers.listResources(cursor, during)),
      readResource: (uri, during) => inside(during, (answers) => answers.readResource(uri, during)),
      complete: (asked, during) => inside(during, (answers) => answers.complete(asked, during)),
    },
    close: () =>
      opened.then(
        ({ service }) => service.close(),
        () => undefined,
      ),
  };
}

/** Whoever waits for an answer is told what stderr is. */
function tellWhy(error: unknown): never {
  throw error instanceof ConfigurationError ? new ProtocolError('invalid_request', error.message) : error;
}

interface Knocked {
  readonly key: ApiKey | null;
  readonly written: readonly ListedTool[];
  readonly leave: () => Promise<void>;
}

/** The key as the doorkeeper knows it; null where only the service can tell. */
async function knock(config: Config, { authorization = '' }: Caller): Promise<Knocked> {
  const { openDoorkeeper } = await import('@switchboard/bootstrap/doorkeeper');
  const doorkeeper = await openDoorkeeper(config);
  const [key, written] = await Promise.all([doorkeeper.look(authorization), writtenTools()]);
  if (key === 'nobody') {
    await doorkeeper.leave();
    throw new ConfigurationError(wrongKey(config));
  }
  return { key, written, leave: () => doorkeeper.leave() };
}
