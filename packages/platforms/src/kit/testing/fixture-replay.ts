import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect } from '@jest/globals';
import { KEY_IN_PATH, type Orders, type RemoteOrder, type Session } from '@switchboard/domain';
import { testSession } from './session.js';
import { startSimulator, type SimulatedResponse, type SimulatedRequest } from './simulator.js';

/** One request with the answer that a fixture has for it. The query, and what was sent, are not looked at. */
export interface FixtureExchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answered?: unknown;
}

interface ReplayServer {
  /** A new one answers from the beginning. */
  session(): Session;
  /** What was asked, the oldest first, with what was answered. */
  asked(): readonly (SimulatedRequest & Pick<FixtureExchange, 'answered'>)[];
  /** What was written down and never asked for. */
  left(): readonly FixtureExchange[];
  close(): Promise<void>;
}

/** For tests of one platform's fixtures: each starts an account of its own, which is closed when the test is over. */
export interface FixtureReplay extends Omit<ReplayServer, 'close'> {
  start(fixture: string): Promise<void>;
  /** The forms that were posted there. */
  forms(path: string): readonly Readonly<Record<string, string>>[];
  /** An order through the platform's own reader, which asks for everything that is written down. */
  order(orders: Orders, id: string): Promise<RemoteOrder>;
}

/** `otherOrigins` are those of the platform's that are all at this one address here. */
export function fixtureReplay(
  directory: string,
  account = 'written',
  otherOrigins: readonly (string | undefined)[] = [],
): FixtureReplay {
  let store: ReplayServer | null = null;
  const started = (): ReplayServer => {
    if (!store) throw new Error('no fixture is started');
    return store;
  };
  afterEach(async () => {
    await store?.close();
    store = null;
  });
  return {
    start: async (fixture) => void (store = await startReplay(directory, fixture, otherOrigins)),
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
export const loadFixtures = (directory: string): ReadonlyMap<string, readonly FixtureExchange[]> =>
  new Map(
    readdirSync(path.join(directory, 'fixtures')).map((file) => [
      path.basename(file, '.json'),
      JSON.parse(readFileSync(path.join(directory, 'fixtures', file), 'utf8')) as readonly FixtureExchange[],
    ]),
  );

/**
 * A store that says what is written down, answer after answer where the same is asked again, the last for ever. Unlike a
 * simulator it knows nothing: what an adapter makes of a body is seen without our own idea of how a store comes to it.
 */
async function startReplay(
  directory: string,
  name: string,
  otherOrigins: readonly (string | undefined)[] = [],
): Promise<ReplayServer> {
  const written = loadFixtures(directory).get(name);
  if (!written) throw new Error(`there is no fixture ${name}`);
  let stated = new Set<FixtureExchange>();
  const requested: (SimulatedRequest & Pick<FixtureExchange, 'answered'>)[] = [];
  const nothing: SimulatedResponse = { status: 501, json: { message: 'Nothing is written down for this.' } };
  const respondTo = (request: SimulatedRequest): SimulatedResponse => {
    const asking = request.path.replace(world.token, KEY_IN_PATH);
    const fitting = written.filter(({ method, path: at }) => method === request.method && at === asking);
    const response = fitting.find((one) => !stated.has(one)) ?? fitting.at(-1);
    requested.push({ ...request, answered: response?.answered });
    if (!response) return nothing;
    stated.add(response);
    return { status: response.status, json: response.answered, headers: response.headers ?? {} };
  };
  const world = await startSimulator({
    account: { id: 'written', username: null, name: null, avatarUrl: null, url: null },
    expiredTokenResponse: nothing,
    unknownTokenResponse: nothing,
    respondToWeakToken: () => null,
    respond: respondTo,
    // What is sent without a token is answered, too.
    respondWithoutToken: respondTo,
    effects: () => 0,
    textOf: () => '',
  });
  return {
    session() {
      stated = new Set();
      return testSession({ ...world, otherOrigins });
    },
    asked: () => requested,
    left: () => written.filter((one) => !stated.has(one)),
    close: () => world.close(),
  };
}
