import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect } from '@jest/globals';
import { KEY_IN_PATH } from '@switchboard/domain';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { Orders, Session } from '@switchboard/domain/ports';
import type { ReceivedRequest, WireResponse } from '@switchboard/simulators';
import { testSession } from './session.js';
import { startSimulator } from './simulator.js';

/** One request with its response in a fixture. The query and the request body are not compared. */
interface FixtureExchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answered?: unknown;
}

interface ReplayServer {
  /** A new instance starts from the first response. */
  session(): Session;
  /** The requests in order, with their responses. */
  asked(): readonly (ReceivedRequest & Pick<FixtureExchange, 'answered'>)[];
  /** The fixture responses that were never requested. */
  left(): readonly FixtureExchange[];
  close(): Promise<void>;
}

/**
 * For tests of one platform's fixtures: each starts its own account, which is closed when the test ends.
 * `otherOrigins` are the platform's origins that all map to this one address.
 */
export function fixtureReplay(
  directory: string,
  account = 'written',
  otherOrigins: readonly (string | undefined)[] = [],
) {
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
    start: async (fixture: string) => void (store = await startReplay(directory, fixture, otherOrigins)),
    session() {
      const session = started().session();
      return { ...session, account: { ...session.account, id: account } };
    },
    asked: () => started().asked(),
    left: () => started().left(),
    /** The submitted forms. */
    forms: (at: string): readonly Readonly<Record<string, string>>[] =>
      started()
        .asked()
        .filter(({ method, path }) => method === 'POST' && path === at)
        .map(({ body }) => body as Readonly<Record<string, string>>),
    /** Reads an order through the platform's own reader, which requests every response of the fixture. */
    async order(orders: Orders, id: string): Promise<RemoteOrder> {
      const found = await orders.get(started().session(), id);
      if (!found.ok || !found.value) throw new Error(JSON.stringify(found));
      expect(started().left()).toEqual([]);
      return found.value;
    },
  };
}

/** The fixtures in a platform's folder, by file name. */
export const loadFixtures = (directory: string): ReadonlyMap<string, readonly FixtureExchange[]> =>
  new Map(
    readdirSync(path.join(directory, 'fixtures')).map((file) => [
      path.basename(file, '.json'),
      JSON.parse(readFileSync(path.join(directory, 'fixtures', file), 'utf8')) as readonly FixtureExchange[],
    ]),
  );

/**
 * A store that replays recorded responses, in order for repeated requests, repeating the last one. Unlike a
 * simulator it has no logic: the test shows how an adapter reads a body, independent of our model of the
 * store.
 */
async function startReplay(
  directory: string,
  name: string,
  otherOrigins: readonly (string | undefined)[] = [],
): Promise<ReplayServer> {
  const written = loadFixtures(directory).get(name);
  if (!written) throw new Error(`there is no fixture ${name}`);
  let stated = new Set<FixtureExchange>();
  const requested: (ReceivedRequest & Pick<FixtureExchange, 'answered'>)[] = [];
  const nothing: WireResponse = {
    status: 501,
    json: { message: 'The fixture has no response for this request.' },
  };
  const respondTo = (request: ReceivedRequest): WireResponse => {
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
    // Requests without a token are answered too.
    simulator: { respondAs: respondTo },
    owner: 'owner',
    weakOwner: 'weak',
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
