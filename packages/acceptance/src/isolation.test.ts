import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scopes, workspaceWideScopes } from '@switchboard/domain';
import { catalogue, type Operation } from '@switchboard/operations';
import { traceOf } from './support/database.js';
import { overMcp, overRest, type Asks, type Exchange } from './support/exchange.js';
import { idPlaces, inputsNaming, type IdPlace } from './support/id-places.js';
import { idOf, mangled, unknownLike } from './support/ids-of.js';
import type { JsonObject } from './support/json.js';
import { mcpStdio, type McpClient } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { parityRow } from './support/parity-rows.js';
import { startSwitchboard, type Switchboard } from './support/switchboard.js';
import { addToLists, buildWorld, type World } from './support/world.js';

interface Wires {
  readonly rest: Asks;
  readonly mcp: Asks;
}

let switchboard: Switchboard;
let operator: Operator;
/** Whoever asks; another workspace; another profile of the workspace of who asks. */
let world: World;
let foreign: World;
let neighbour: World;
let wires: Wires;
/** The wires of a key that reaches the profile of `world` and no other. */
let bound: Wires;
let theirs: Wires;
let stdio: McpClient;
beforeAll(async () => {
  switchboard = await startSwitchboard({ name: 'isolation', mcp: true });
  operator = await openOperator(switchboard);
  const { url, keys } = switchboard;
  const workspaceId = await operator.makeWorkspace('elsewhere');
  const elsewhere = await operator.makeKey({ scopes, workspaceId });
  world = await buildWorld(url, keys.full, { social: 'maren-holt', store: 'alder-oak' });
  foreign = await buildWorld(url, elsewhere.token, { social: 'lumen-coffee', store: 'kumo-paper' });
  neighbour = await buildWorld(url, keys.full, {
    social: 'tidal-museum',
    store: 'harbor-supply',
    profile: 'Next door',
  });
  const narrow = await operator.makeKey({
    scopes: scopes.filter((scope) => !workspaceWideScopes.includes(scope)),
    policy: { profileIds: [world.profile as never] },
  });
  wires = wiresOf(keys.full);
  bound = wiresOf(narrow.token);
  theirs = wiresOf(elsewhere.token);
  stdio = await mcpStdio(switchboard, keys.full);
}, 240_000);
afterAll(async () => {
  await stdio?.close();
  await operator?.close();
  await switchboard?.stop();
});

const wiresOf = (key: string): Wires => ({
  rest: overRest(switchboard, key),
  mcp: overMcp(switchboard, key),
});

/** Over every wire that the operation is on and that has the place. */
async function ask({ rest, mcp }: Wires, operation: Operation, place: IdPlace | null, input: JsonObject) {
  const answers = new Map<string, Exchange>([['rest', await rest(operation, input)]]);
  const onTool =
    place === null ||
    idPlaces({ ...operation, input: operation.mcpInput }).some(({ path }) => path === place.path);
  if (operation.tool !== null && onTool) {
    answers.set('mcp', await mcp(operation, parityRow(operation).tool?.(input) ?? input));
  }
  return answers;
}

const comparable = ({ status, headers, body }: Exchange) => JSON.stringify([status, headers, body]);

/** Whatever is asked, nothing but the audit is written. */
async function quietly(act: () => Promise<void>): Promise<void> {
  const before = await traceOf(switchboard.databaseUrl);
  await act();
  expect(await traceOf(switchboard.databaseUrl)).toEqual(before);
}

const withIds = catalogue
  .map((operation) => [operation.name, operation, idPlaces(operation)] as const)
  .filter(([, , places]) => places.length > 0);

const baseOf = (operation: Operation, { path }: IdPlace, input: JsonObject): JsonObject => ({
  ...input,
  ...parityRow(operation).around?.[path]?.(world),
});

/** All these ids, in every place, are answered to the byte like one that nobody has, and say that it is not there. */
async function expectLikeNothing(
  asking: Wires,
  operation: Operation,
  ids: (thing: IdPlace['thing']) => readonly string[],
): Promise<void> {
  const input = await parityRow(operation).input(world);
  await quietly(async () => {
    for (const place of idPlaces(operation)) {
      const own = idOf(world, place.thing);
      const told = new Map<string, string>();
      for (const id of [unknownLike(own), ...ids(place.thing)]) {
        const inputs = inputsNaming(operation, place, baseOf(operation, place, input), id, own);
        for (const [index, given] of inputs.entries()) {
          for (const [wire, answer] of await ask(asking, operation, place, given)) {
            expect([place.path, id, wire, answer.json['code']]).toEqual([
              place.path,
              id,
              wire,
              `${place.thing}.not_found`,
            ]);
            const known = told.get(`${wire} ${index}`) ?? comparable(answer);
            expect([place.path, id, comparable(answer)]).toEqual([place.path, id, known]);
            told.set(`${wire} ${index}`, known);
          }
        }
      }
    }
  });
}

describe('what belongs to another workspace is to the byte what never was', () => {
  test.each(withIds)('%s', (_name, operation) =>
    expectLikeNothing(wires, operation, (thing) => {
      const own = idOf(world, thing);
      return thing === 'platform' ? mangled(own) : [idOf(foreign, thing), ...mangled(own)];
    }),
  );

  test.each(withIds.filter(([, { tool }]) => tool !== null))(
    '%s over stdio',
    async (_name, operation, places) => {
      const input = await parityRow(operation).input(world);
      for (const place of places.filter(
        ({ thing, path }) => thing !== 'platform' && path in operation.mcpInput.shape,
      )) {
        const own = idOf(world, place.thing);
        const [known, unknown] = await Promise.all(
          [idOf(foreign, place.thing), unknownLike(own)].map(async (id) => {
            const [given = {}] = inputsNaming(operation, place, baseOf(operation, place, input), id, own);
            const { isError, json, text } = await stdio.call(
              operation.tool ?? '',
              parityRow(operation).tool?.(given) ?? given,
            );
            const { request_id: _id, ...rest } = json;
            return JSON.stringify([isError, rest, text.replace(/req_\w+/g, 'req_…')]);
          }),
        );
        expect(known).toBe(unknown);
        expect(known).toContain(`${place.thing}.not_found`);
      }
    },
  );
});

describe('to a key that is bound to a profile, what belongs to another profile is to the byte what never was', () => {
  const reachable = withIds.filter(
    ([, { scope }]) => scope === 'any' || !workspaceWideScopes.includes(scope),
  );
  test.each(reachable)('%s', (_name, operation) =>
    expectLikeNothing(bound, operation, (thing) => (thing === 'platform' ? [] : [idOf(neighbour, thing)])),
  );
});

test('an id that is one’s own is told from one that is not: the comparison sees a difference', async () => {
  for (const [name, operation, [place]] of withIds) {
    if (!place || operation.effect !== 'read') continue;
    const input = await parityRow(operation).input(world);
    const [unknown = {}] = inputsNaming(operation, place, input, unknownLike(idOf(world, place.thing)), '');
    const [mine, nobodys] = [await wires.rest(operation, input), await wires.rest(operation, unknown)];
    expect([name, comparable(mine) === comparable(nobodys), mine.failed]).toEqual([name, false, false]);
  }
});

describe('lists', () => {
  const lists = catalogue
    .filter(({ input }) => 'cursor' in input.shape)
    .map((one) => [one.name, one] as const);
  const firstPage = async (of: World, asking: Wires, operation: Operation) => {
    const page = await asking.rest(operation, { ...(await parityRow(operation).input(of)), limit: 1 });
    expect([operation.name, page.failed, typeof page.json['next_cursor']]).toEqual([
      operation.name,
      false,
      'string',
    ]);
    return page.json['next_cursor'] as string;
  };
  beforeAll(async () => {
    await addToLists(world);
    await addToLists(foreign);
  }, 60_000);

  test.each(lists)(
    '%s: another workspace’s cursor is to the byte one that nobody gave',
    async (_name, operation) => {
      const cursor = await firstPage(foreign, theirs, operation);
      const own = await firstPage(world, wires, operation);
      const input = { ...(await parityRow(operation).input(world)), limit: 1 };
      const seen = new Map<string, Set<string>>();
      for (const given of [
        cursor,
        `${own}A`,
        own.slice(0, -4),
        'x',
        "' OR 1=1 --",
        Buffer.from('{}').toString('base64url'),
      ]) {
        for (const [wire, answer] of await ask(wires, operation, null, { ...input, cursor: given })) {
          expect([given, answer.json['status'], answer.json['code']]).toEqual([
            given,
            400,
            'request.invalid_cursor',
          ]);
          seen.set(wire, (seen.get(wire) ?? new Set()).add(comparable(answer)));
        }
      }
      for (const answers of seen.values()) expect([...answers]).toHaveLength(1);
      for (const [, answer] of await ask(wires, operation, null, { ...input, cursor: own }))
        expect(answer.failed).toBe(false);
    },
  );

  test.each(lists)('%s: a cursor of a key that reaches further is none', async (_name, operation) => {
    if (operation.scope !== 'any' && workspaceWideScopes.includes(operation.scope)) return;
    const { json } = await wires.rest(operation, { limit: 1 });
    if (typeof json['next_cursor'] !== 'string') return;
    for (const [, answer] of await ask(bound, operation, null, { limit: 1, cursor: json['next_cursor'] })) {
      expect(answer.json['code']).toBe('request.invalid_cursor');
    }
  });

  test.each(lists)('%s: shows nothing that is not one’s own', async (_name, operation) => {
    const { client: _theirs, ...others } = foreign;
    for (const [, { body, failed }] of await ask(wires, operation, null, { limit: 100 })) {
      expect(failed).toBe(false);
      for (const id of Object.values(others)) expect(body).not.toContain(id);
    }
    if (operation.scope !== 'any' && workspaceWideScopes.includes(operation.scope)) return;
    const { client: _client, key: _key, ...next } = neighbour;
    for (const [, { body }] of await ask(bound, operation, null, { limit: 100 })) {
      for (const id of Object.values(next)) expect(body).not.toContain(id);
    }
  });

  const sorted = catalogue
    .filter(({ input }) => 'sort' in input.shape)
    .map((one) => [one.name, one] as const);
  test.each(sorted)('%s: an order that nobody offered is refused', async (_name, operation) => {
    for (const sort of [
      'workspace_id;--',
      'workspace_id',
      'id',
      '-id',
      'created_at; DROP TABLE posts',
      '(select 1)',
      '',
    ]) {
      for (const [, answer] of await ask(wires, operation, null, {
        ...(await parityRow(operation).input(world)),
        sort,
      })) {
        expect([sort, answer.json['code']]).toEqual([sort, 'request.invalid']);
      }
    }
  });
});

describe('an idempotency key', () => {
  const repeatable = catalogue.filter(({ idempotent }) => idempotent).map((one) => [one.name, one] as const);
  const again = { 'Idempotency-Key': 'everybody-has-this-one' };

  const isReplay = ({ headers }: Exchange) => headers.includes('idempotency-replayed: true');

  test.each(repeatable)(
    '%s: of another workspace or of another key is a new one',
    async (_name, operation) => {
      const given = await parityRow(operation).input(foreign);
      const first = await theirs.rest(operation, given, again);
      // What changed nothing is not kept; everything else is, for whoever asked.
      expect([operation.http.status, 409]).toContain(first.status);
      expect(isReplay(await theirs.rest(operation, given, again))).toBe(!first.failed);

      const sister = wiresOf((await operator.makeKey({ scopes })).token);
      const here = await parityRow(operation).input(world);
      for (const [asking, input] of [
        [wires, given],
        [sister, here],
      ] as const) {
        const answer = await asking.rest(operation, input, again);
        expect([isReplay(answer), answer.body]).toEqual([false, expect.not.stringContaining('idempotency.')]);
        const { client: _theirs, ...others } = foreign;
        for (const id of Object.values(others)) expect(answer.body).not.toContain(id);
        if (!first.failed) expect(answer.body).not.toBe(first.body);
      }
    },
  );
});
