import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect } from '@jest/globals';
import { KEY_IN_PATH, type Orders, type RemoteOrder, type Session } from '@switchboard/domain';
import { testSession } from './session.js';
import { startSimulator, type SimulatedAnswer, type SimulatedRequest } from './simulator.js';

/** One request with the answer that a fixture has for it. The query, and what was sent, are not looked at. */
export interface WrittenAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answered?: unknown;
}

interface WrittenAccount {
  /** A new one answers from the beginning. */
  session(): Session;
  /** What was asked, the oldest first, with what was answered. */
  asked(): readonly (SimulatedRequest & Pick<WrittenAnswer, 'answered'>)[];
  /** What was written down and never asked for. */
  left(): readonly WrittenAnswer[];
  close(): Promise<void>;
}

/** For tests of one platform's fixtures: each starts an account of its own, which is closed when the test is over. */
export interface WrittenPlatform extends Omit<WrittenAccount, 'close'> {
  start(fixture: string): Promise<void>;
  /** The forms that were posted there. */
  forms(path: string): readonly Readonly<Record<string, string>>[];
  /** An order through the platform's own reader, which asks for everything that is written down. */
  order(orders: Orders, id: string): Promise<RemoteOrder>;
}

/** `otherOrigins` are those of the platform's that are all at this one address here. */
export function writtenPlatform(
  directory: string,
  account = 'written',
  otherOrigins: readonly (string | undefined)[] = [],
): WrittenPlatform {
  let store: WrittenAccount | null = null;
  const started = (): WrittenAccount => {
    if (!store) throw new Error('no fixture is started');
    return store;
  };
  afterEach(async () => {
    await store?.close();
    store = null;
  });
  return {
    start: async (fixture) => void (store = await startWritten(directory, fixture, otherOrigins)),
    session() {
      const session = started().session();
      return { ...session, account: { ...session.account, id: account } };
    },
    asked: () => started().asked(),
    left: () => started().left(),
    forms: (at) =>
      started()
        .asked()
        .filter(({ method, path }) => method === 'POST' && path === at)
        .map(({ bytes }) => Object.fromEntries(new URLSearchParams(Buffer.from(bytes).toString()))),
    async order(orders, id) {
      const found = await orders.get(started().session(), id);
      if (!found.ok || !found.value) throw new Error(JSON.stringify(found));
      expect(started().left()).toEqual([]);
      return found.value;
    },
  };
}

/** What is in a platform's folder of fixtures, by the name of the file. */
export const writtenAnswers = (directory: string): ReadonlyMap<string, readonly WrittenAnswer[]> =>
  new Map(
    readdirSync(path.join(directory, 'fixtures')).map((file) => [
      path.basename(file, '.json'),
      JSON.parse(readFileSync(path.join(directory, 'fixtures', file), 'utf8')) as readonly WrittenAnswer[],
    ]),
  );

/**
 * A store that says what is written down, answer after answer where the same is asked again, the last for ever. Unlike a
 * simulator it knows nothing: what an adapter makes of a body is seen without our own idea of how a store comes to it.
 */
async function startWritten(
  directory: string,
  name: string,
  otherOrigins: readonly (string | undefined)[] = [],
): Promise<WrittenAccount> {
  const written = writtenAnswers(directory).get(name);
  if (!written) throw new Error(`there is no fixture ${name}`);
  let said = new Set<WrittenAnswer>();
  const asked: (SimulatedRequest & Pick<WrittenAnswer, 'answered'>)[] = [];
  const nothing: SimulatedAnswer = { status: 501, json: { message: 'Nothing is written down for this.' } };
  const answerTo = (request: SimulatedRequest): SimulatedAnswer => {
    const asking = request.path.replace(world.token, KEY_IN_PATH);
    const fitting = written.filter(({ method, path: at }) => method === request.method && at === asking);
    const answer = fitting.find((one) => !said.has(one)) ?? fitting.at(-1);
    asked.push({ ...request, answered: answer?.answered });
    if (!answer) return nothing;
    said.add(answer);
    return { status: answer.status, json: answer.answered, headers: answer.headers ?? {} };
  };
  const world = await startSimulator({
    account: { id: 'written', username: null, name: null, avatarUrl: null, url: null },
    expired: nothing,
    unknown: nothing,
    weak: () => null,
    call: answerTo,
    // What is sent without a token is answered, too.
    open: answerTo,
    effects: () => 0,
    textOf: () => '',
  });
  return {
    session() {
      said = new Set();
      return testSession({ ...world, otherOrigins });
    },
    asked: () => asked,
    left: () => written.filter((one) => !said.has(one)),
    close: () => world.close(),
  };
}
