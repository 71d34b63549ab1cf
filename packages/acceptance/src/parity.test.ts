import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scopes } from '@switchboard/domain/access';
import { catalog, type Operation } from '@switchboard/operations';
import { normalizeNextCalls } from './support/normalize-next-calls.js';
import { callOperation } from './support/call-operation.js';
import { asObjects, type JsonObject } from './support/json.js';
import { maskVolatile, omitCallFields } from './support/mask-volatile.js';
import { connectMcpHttp, connectMcpStdio, type McpClient } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { getParityRow, parityRows, type ParityRow } from './support/parity-rows.js';
import { restClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';
import { buildTestWorld, type TestWorld } from './support/test-world.js';

/** The parts of a response that both wires have. */
interface WireResponse {
  readonly isError: boolean;
  readonly json: JsonObject;
}

interface ParityWires {
  readonly rest: (operation: Operation, input: JsonObject, row?: ParityRow) => Promise<WireResponse>;
  readonly mcp: readonly McpClient[];
  close(): Promise<void>;
}

let switchboard: Switchboard;
let operator: Operator;
let world: TestWorld;
let wires: ParityWires;
let powerless: ParityWires;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'parity', mcp: true });
  operator = await openOperator(switchboard);
  const { url, keys } = switchboard;
  world = await buildTestWorld(url, keys.full, { social: 'maren-holt', store: 'alder-oak' });
  wires = await openWires(keys.full);
  powerless = await openWires((await operator.createKey({ scopes: [] })).token);
});
afterAll(async () => {
  await wires?.close();
  await powerless?.close();
  await operator?.close();
  await switchboard?.stop();
});

async function openWires(key: string): Promise<ParityWires> {
  const client = restClient(switchboard.url, key);
  const mcp = [await connectMcpHttp(switchboard, key), await connectMcpStdio(switchboard, key)];
  return {
    mcp,
    async rest(operation, input, row) {
      const headers = row?.waitsForResult ? { Prefer: 'wait=10' } : {};
      const answer = await callOperation(client, operation, input, headers);
      if (answer.status < 400) expect(answer.status).toBe(operation.http.status);
      else {
        expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(answer.json['status']).toBe(answer.status);
      }
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
      return { isError: answer.status >= 400, json: answer.json };
    },
    close: async () => void (await Promise.all(mcp.map((one) => one.close()))),
  };
}

/** The same request over every wire; `input` is evaluated for each wire. */
async function callEverywhere(
  { rest, mcp }: ParityWires,
  operation: Operation,
  row: ParityRow,
  input: () => Promise<JsonObject> | JsonObject,
): Promise<readonly WireResponse[]> {
  const answers = [await rest(operation, await input(), row)];
  for (const client of operation.tool === null ? [] : mcp) {
    const given = await input();
    const toolInput = { ...(row.toolInput?.(given) ?? given), ...(operation.compact && { detail: true }) };
    const { isError, json } = await client.call(operation.tool ?? '', toolInput);
    answers.push({ isError, json });
  }
  return answers;
}

/** Ignores IDs and times of objects created by the call; compares reads byte for byte. */
const toComparable = (operation: Operation, { json: given }: WireResponse) => {
  const json = normalizeNextCalls(given);
  return JSON.stringify(
    omitCallFields(
      operation.effect === 'read' && !getParityRow(operation).isTimeDependent ? json : maskVolatile(json),
    ),
  );
};

function expectSame(operation: Operation, answers: readonly WireResponse[]): void {
  const [first, ...others] = answers;
  for (const other of others) {
    expect(other.isError).toBe(first?.isError);
    expect(toComparable(operation, other)).toBe(first && toComparable(operation, first));
  }
}

function expectRefused(operation: Operation, answers: readonly WireResponse[], problem: JsonObject): void {
  for (const { json } of answers) expect(json).toMatchObject(problem);
  expect(answers.map(({ isError }) => isError)).not.toContain(false);
  expectSame(operation, answers);
}

const each = catalog.map((operation) => [operation.name, operation] as const);

test('every row belongs to an operation', () => {
  const names = catalog.map(({ name }) => name);
  expect(Object.keys(parityRows).filter((name) => !names.includes(name))).toEqual([]);
});

test.each(each.filter(([, { tool }]) => tool !== null))(
  '%s responds identically over REST, MCP over HTTP and MCP over stdio',
  async (_name, operation) => {
    const row = getParityRow(operation);
    const answers = await callEverywhere(wires, operation, row, () => row.input(world));
    for (const { isError, json } of answers) expect([isError, json]).toEqual([false, expect.anything()]);
    expectSame(operation, answers);
  },
);

describe('the same error on every wire', () => {
  test.each(each)('%s: the missing scope is reported before every other error', async (_name, operation) => {
    if (operation.scope === 'any') return;
    const row = getParityRow(operation);
    for (const input of [await row.input(world), { no_such_field: 1 }, {}]) {
      expectRefused(operation, await callEverywhere(powerless, operation, row, () => input), {
        status: 403,
        code: 'key.scope_missing',
        details: { required_scope: operation.scope },
        effect: 'none',
      });
    }
  });

  test.each(each)('%s: an unknown field', async (_name, operation) => {
    const row = getParityRow(operation);
    for (const name of ['no_such_field', 'workspace_id', 'constructor']) {
      const input = { ...(await row.input(world)), [name]: 'x' };
      const answers = await callEverywhere(wires, operation, row, () => input);
      expectRefused(operation, answers, { status: 400, code: 'request.invalid' });
      for (const { json } of answers) {
        expect(asObjects(json['errors'])).toEqual([
          { path: name, code: 'field.unknown', message: expect.any(String) },
        ]);
      }
    }
  });

  test.each(each.filter(([name]) => parityRows[name]?.malformedFields))(
    '%s: values that the schema rejects',
    async (_name, operation) => {
      const row = getParityRow(operation);
      const input = { ...(await row.input(world)), ...row.malformedFields };
      const answers = await callEverywhere(wires, operation, row, () => input);
      expectRefused(operation, answers, { status: 400, code: 'request.invalid' });
      for (const { json } of answers) {
        const paths = asObjects(json['errors']).map(({ path }) => String(path).split('.')[0]);
        expect([...new Set(paths)].sort()).toEqual(Object.keys(row.malformedFields ?? {}).sort());
      }
    },
  );
});

test('a missing, malformed, unknown, expired or revoked key gets the same 401 everywhere', async () => {
  const expired = await operator.createExpiredKey({ scopes });
  const revoked = await operator.createKey({ scopes });
  await revoked.revoke();
  const unknown = switchboard.keys.full.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const bodies = new Set<string>();
  for (const key of [null, 'nonsense', unknown, expired.token, revoked.token]) {
    for (const operation of catalog) {
      const answer = await callOperation(restClient(switchboard.url, key), operation, { no_such_field: 1 });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      bodies.add(JSON.stringify(omitCallFields(answer.json)));
    }
    const mcp = await fetch(switchboard.mcpUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } }),
    });
    expect([mcp.status, mcp.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    bodies.add(JSON.stringify(omitCallFields(await mcp.json())));
  }
  expect([...bodies]).toHaveLength(1);
  expect([...bodies][0]).toContain('auth.invalid_key');
});

test('an idempotency key identifies the same request on every wire', async () => {
  const create = catalog.find(({ name }) => name === 'createProfile') as Operation;
  const input = { name: 'Once', timezone: 'UTC' };
  const headers = { 'Idempotency-Key': 'across-wires' };
  const first = await callOperation(
    restClient(switchboard.url, switchboard.keys.full),
    create,
    input,
    headers,
  );
  expect(first.status).toBe(201);
  for (const client of wires.mcp) {
    const again = await client.call('create_profile', { ...input, idempotency_key: 'across-wires' });
    expect(again.json).toEqual(first.json);
    const other = await client.call('create_profile', {
      ...input,
      name: 'Twice',
      idempotency_key: 'across-wires',
    });
    expect(other).toMatchObject({ isError: true, json: { status: 422, code: 'idempotency.key_reused' } });
  }
});
