import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scopes, workspaceWideScopes } from '@switchboard/domain/access';
import { catalog, type Operation } from '@switchboard/operations';
import { traceDatabase } from './support/database.js';
import {
  createMcpCaller,
  createRestCaller,
  type OperationCaller,
  type OperationExchange,
} from './support/operation-exchange.js';
import { findIdFields, createInputsWithId, type IdField } from './support/id-fields.js';
import { getWorldId, createMalformedIds, createUnknownId } from './support/world-ids.js';
import { asObject, asObjects, type JsonObject } from './support/json.js';
import { connectMcpStreams, type McpClient } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { getParityRow } from './support/parity-rows.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { addToLists, buildTestWorld, type TestWorld } from './support/test-world.js';

interface WireCallers {
  readonly rest: OperationCaller;
  readonly mcp: OperationCaller;
}

let switchboard: Switchboard;
let operator: Operator;
/** The caller's world; another workspace; another profile of the caller's workspace. */
let world: TestWorld;
let foreign: TestWorld;
let neighbour: TestWorld;
let wires: WireCallers;
/** The wires for a key that is bound to the profile of `world`. */
let boundWires: WireCallers;
let theirs: WireCallers;
let stdio: McpClient;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'isolation', mcp: true });
  operator = await openOperator(switchboard);
  const { url, keys } = switchboard;
  const workspaceId = await operator.createWorkspace('elsewhere');
  const elsewhere = await operator.createKey({ scopes, workspaceId });
  world = await buildTestWorld(url, keys.full, { social: 'maren-holt', store: 'alder-oak' });
  foreign = await buildTestWorld(url, elsewhere.token, { social: 'lumen-coffee', store: 'kumo-paper' });
  neighbour = await buildTestWorld(url, keys.full, {
    social: 'tidal-museum',
    store: 'harbor-supply',
    profile: 'Next door',
  });
  const createNarrowKey = await operator.createKey({
    scopes: scopes.filter((scope) => !workspaceWideScopes.includes(scope)),
    policy: { profileIds: [world.profile as never] },
  });
  wires = createWires(keys.full);
  boundWires = createWires(createNarrowKey.token);
  theirs = createWires(elsewhere.token);
  stdio = await connectMcpStreams(switchboard, keys.full);
});
afterAll(async () => {
  await stdio?.close();
  await operator?.close();
  await switchboard?.stop();
});

const createWires = (key: string): WireCallers => ({
  rest: createRestCaller(switchboard, key),
  mcp: createMcpCaller(switchboard, key),
});

/** Over every wire that supports the operation and the place. */
async function sendRequest(
  { rest, mcp }: WireCallers,
  operation: Operation,
  place: IdField | null,
  input: JsonObject,
) {
  const answers = new Map<string, OperationExchange>([['rest', await rest(operation, input)]]);
  const onTool =
    place === null ||
    findIdFields({ ...operation, input: operation.mcpInput }).some(({ path }) => path === place.path);
  if (operation.tool !== null && onTool) {
    answers.set('mcp', await mcp(operation, getParityRow(operation).toolInput?.(input) ?? input));
  }
  return answers;
}

const toComparable = ({ status, headers, body }: OperationExchange) =>
  JSON.stringify([status, headers, body]);

/** Of the request, or of the last row of an import. */
const codeOf = ({ json }: OperationExchange): unknown =>
  json['code'] ?? asObject(asObjects(json['results'] ?? []).at(-1)?.['error'] ?? {})['code'];

/** Platforms belong to no workspace: an unknown id is answered with the closest known one. */
const withoutSuggestion = (response: string) =>
  response.replace(/ ?Did you mean [^?]*\?/g, '').replace(/content-length: \d+/, 'content-length');

/** No request writes anything except audit rows. */
async function expectNoChange(act: () => Promise<void>): Promise<void> {
  const before = await traceDatabase(switchboard.databaseUrl);
  await act();
  expect(await traceDatabase(switchboard.databaseUrl)).toEqual(before);
}

const withIds = catalog
  .map((operation) => [operation.name, operation, findIdFields(operation)] as const)
  .filter(([, , places]) => places.length > 0);

const baseOf = (operation: Operation, { path }: IdField, input: JsonObject): JsonObject => ({
  ...input,
  ...getParityRow(operation).inputOverrides?.[path]?.(world),
});

/**
 * For all these IDs in every place, the response equals byte for byte the response for an ID that was never
 * assigned, and reports not found.
 */
async function expectNotFoundEverywhere(
  asking: WireCallers,
  operation: Operation,
  ids: (resourceType: IdField['resourceType']) => readonly string[],
): Promise<void> {
  const input = await getParityRow(operation).input(world);
  await expectNoChange(async () => {
    for (const place of findIdFields(operation)) {
      const own = getWorldId(world, place.resourceType);
      const knownResponses = new Map<string, string>();
      for (const id of [createUnknownId(own), ...ids(place.resourceType)]) {
        const inputs = createInputsWithId(operation, place, baseOf(operation, place, input), id, own);
        for (const [index, given] of inputs.entries()) {
          for (const [wire, answer] of await sendRequest(asking, operation, place, given)) {
            expect([place.path, id, wire, codeOf(answer)]).toEqual([
              place.path,
              id,
              wire,
              `${place.resourceType}.not_found`,
            ]);
            const response =
              place.resourceType === 'platform'
                ? withoutSuggestion(toComparable(answer))
                : toComparable(answer);
            const known = knownResponses.get(`${wire} ${index}`) ?? response;
            expect([place.path, id, response]).toEqual([place.path, id, known]);
            knownResponses.set(`${wire} ${index}`, known);
          }
        }
      }
    }
  });
}

describe('resources of another workspace are byte for byte indistinguishable from missing ones', () => {
  test.each(withIds)('%s', (_name, operation) =>
    expectNotFoundEverywhere(wires, operation, (resourceType) => {
      const own = getWorldId(world, resourceType);
      return resourceType === 'platform'
        ? createMalformedIds(own)
        : [getWorldId(foreign, resourceType), ...createMalformedIds(own)];
    }),
  );

  test.each(withIds.filter(([, { tool }]) => tool !== null))(
    '%s over stdio',
    async (_name, operation, places) => {
      const input = await getParityRow(operation).input(world);
      for (const place of places.filter(
        ({ resourceType, path }) => resourceType !== 'platform' && path in operation.mcpInput.shape,
      )) {
        const own = getWorldId(world, place.resourceType);
        const [known, unknown] = await Promise.all(
          [getWorldId(foreign, place.resourceType), createUnknownId(own)].map(async (id) => {
            const [given = {}] = createInputsWithId(
              operation,
              place,
              baseOf(operation, place, input),
              id,
              own,
            );
            const { isError, json, text } = await stdio.call(
              operation.tool ?? '',
              getParityRow(operation).toolInput?.(given) ?? given,
            );
            const { request_id: _id, ...rest } = json;
            return JSON.stringify([isError, rest, text.replace(/req_\w+/g, 'req_…')]);
          }),
        );
        expect(known).toBe(unknown);
        expect(known).toContain(`${place.resourceType}.not_found`);
      }
    },
  );
});

describe('to a key bound to a profile, resources of another profile are byte for byte indistinguishable from missing ones', () => {
  const reachable = withIds.filter(
    ([, { scope }]) => scope === 'any' || !workspaceWideScopes.includes(scope),
  );
  test.each(reachable)('%s', (_name, operation) =>
    expectNotFoundEverywhere(boundWires, operation, (resourceType) =>
      resourceType === 'platform' ? [] : [getWorldId(neighbour, resourceType)],
    ),
  );
});

test('the caller’s own ID is distinguishable from a foreign one: the comparison detects a difference', async () => {
  for (const [name, operation, [place]] of withIds) {
    if (!place || operation.effect !== 'read') continue;
    const input = await getParityRow(operation).input(world);
    const [unknown = {}] = createInputsWithId(
      operation,
      place,
      input,
      createUnknownId(getWorldId(world, place.resourceType)),
      '',
    );
    const [mine, missing] = [await wires.rest(operation, input), await wires.rest(operation, unknown)];
    expect([name, toComparable(mine) === toComparable(missing), mine.isError]).toEqual([name, false, false]);
  }
});

describe('lists', () => {
  const lists = catalog.filter(({ input }) => 'cursor' in input.shape).map((one) => [one.name, one] as const);
  const firstPage = async (of: TestWorld, asking: WireCallers, operation: Operation) => {
    const page = await asking.rest(operation, { ...(await getParityRow(operation).input(of)), limit: 1 });
    expect([operation.name, page.isError, typeof page.json['next_cursor']]).toEqual([
      operation.name,
      false,
      'string',
    ]);
    return page.json['next_cursor'] as string;
  };
  beforeAll(async () => {
    await addToLists(world);
    await addToLists(foreign);
  });

  test.each(lists)(
    '%s: another workspace’s cursor is byte for byte indistinguishable from an invalid one',
    async (_name, operation) => {
      const cursor = await firstPage(foreign, theirs, operation);
      const own = await firstPage(world, wires, operation);
      const input = { ...(await getParityRow(operation).input(world)), limit: 1 };
      const collected = new Map<string, Set<string>>();
      for (const given of [
        cursor,
        `${own}A`,
        own.slice(0, -4),
        'x',
        "' OR 1=1 --",
        Buffer.from('{}').toString('base64url'),
      ]) {
        for (const [wire, answer] of await sendRequest(wires, operation, null, { ...input, cursor: given })) {
          expect([given, answer.json['status'], answer.json['code']]).toEqual([
            given,
            400,
            'request.invalid_cursor',
          ]);
          collected.set(wire, (collected.get(wire) ?? new Set()).add(toComparable(answer)));
        }
      }
      for (const answers of collected.values()) expect([...answers]).toHaveLength(1);
      for (const [, answer] of await sendRequest(wires, operation, null, { ...input, cursor: own }))
        expect(answer.isError).toBe(false);
    },
  );

  test.each(lists)('%s: a cursor of a key with a wider reach is invalid', async (_name, operation) => {
    if (operation.scope !== 'any' && workspaceWideScopes.includes(operation.scope)) return;
    const { json } = await wires.rest(operation, { limit: 1 });
    if (typeof json['next_cursor'] !== 'string') return;
    for (const [, answer] of await sendRequest(boundWires, operation, null, {
      limit: 1,
      cursor: json['next_cursor'],
    })) {
      expect(answer.json['code']).toBe('request.invalid_cursor');
    }
  });

  /** A list within a resource names it. */
  const ownerInput = async (operation: Operation, of: TestWorld): Promise<JsonObject> =>
    operation.http.path.includes(':') ? getParityRow(operation).input(of) : {};

  test.each(lists)('%s: shows only the caller’s own resources', async (_name, operation) => {
    const { client: _theirs, webhookUrl: _url, ...others } = foreign;
    const input = { ...(await ownerInput(operation, world)), limit: 100 };
    for (const [, { body, isError }] of await sendRequest(wires, operation, null, input)) {
      expect(isError).toBe(false);
      for (const id of Object.values(others)) expect(body).not.toContain(id);
    }
    if (operation.scope !== 'any' && workspaceWideScopes.includes(operation.scope)) return;
    const { client: _client, key: _key, webhookUrl: _webhookUrl, ...next } = neighbour;
    for (const [, { body }] of await sendRequest(boundWires, operation, null, { limit: 100 })) {
      for (const id of Object.values(next)) expect(body).not.toContain(id);
    }
  });

  const sorted = catalog.filter(({ input }) => 'sort' in input.shape).map((one) => [one.name, one] as const);
  test.each(sorted)('%s: an unsupported sort order is rejected', async (_name, operation) => {
    for (const sort of [
      'workspace_id;--',
      'workspace_id',
      'id',
      '-id',
      'created_at; DROP TABLE posts',
      '(select 1)',
      '',
    ]) {
      for (const [wire, answer] of await sendRequest(wires, operation, null, {
        ...(await getParityRow(operation).input(world)),
        sort,
      })) {
        // Over MCP an empty argument counts as omitted.
        const isOmitted = wire === 'mcp' && sort === '';
        expect([sort, answer.json['code']]).toEqual([sort, isOmitted ? undefined : 'request.invalid']);
      }
    }
  });
});

describe('an idempotency key', () => {
  const repeatable = catalog.filter(({ idempotent }) => idempotent).map((one) => [one.name, one] as const);
  const again = { 'Idempotency-Key': 'the-same-for-all' };

  const isReplay = ({ headers }: OperationExchange) => headers.includes('idempotency-replayed: true');

  test.each(repeatable)(
    '%s: of another workspace or of another key is a new one',
    async (_name, operation) => {
      const given = await getParityRow(operation).input(foreign);
      const first = await theirs.rest(operation, given, again);
      // Rejections without changes are not stored; every other response is stored for its caller.
      expect([operation.http.status, 409]).toContain(first.status);
      expect(isReplay(await theirs.rest(operation, given, again))).toBe(!first.isError);

      const sister = createWires((await operator.createKey({ scopes })).token);
      const here = await getParityRow(operation).input(world);
      for (const [asking, input] of [
        [wires, given],
        [sister, here],
      ] as const) {
        const answer = await asking.rest(operation, input, again);
        expect([isReplay(answer), answer.body]).toEqual([false, expect.not.stringContaining('idempotency.')]);
        const { client: _theirs, webhookUrl: _url, ...others } = foreign;
        for (const id of Object.values(others)) expect(answer.body).not.toContain(id);
        // The failed row of an import names no resource, and is the same for everyone.
        const isAnonymous = first.isError || operation.name === 'importConnections';
        if (!isAnonymous) expect(answer.body).not.toBe(first.body);
      }
    },
  );
});
