import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scopes } from '@switchboard/domain';
import { catalogue, type Operation } from '@switchboard/operations';
import { calledAlike } from './support/called-alike.js';
import { callOperation } from './support/call-operation.js';
import { objects, type JsonObject } from './support/json.js';
import { mask, withoutCall } from './support/mask.js';
import { mcpHttp, mcpStdio, type McpClient } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { parityRow, parityRows, type Row } from './support/parity-rows.js';
import { restClient } from './support/rest-client.js';
import { startSwitchboard, type Switchboard } from './support/switchboard.js';
import { buildWorld, type World } from './support/world.js';

/** An answer as far as both wires have it. */
interface Answer {
  readonly failed: boolean;
  readonly json: JsonObject;
}

interface Wires {
  readonly rest: (operation: Operation, input: JsonObject, row?: Row) => Promise<Answer>;
  readonly mcp: readonly McpClient[];
  close(): Promise<void>;
}

let switchboard: Switchboard;
let operator: Operator;
let world: World;
let wires: Wires;
let powerless: Wires;
beforeAll(async () => {
  switchboard = await startSwitchboard({ name: 'parity', mcp: true });
  operator = await openOperator(switchboard);
  const { url, keys } = switchboard;
  world = await buildWorld(url, keys.full, { social: 'maren-holt', store: 'alder-oak' });
  wires = await openWires(keys.full);
  powerless = await openWires((await operator.makeKey({ scopes: [] })).token);
}, 120_000);
afterAll(async () => {
  await wires?.close();
  await powerless?.close();
  await operator?.close();
  await switchboard?.stop();
});

async function openWires(key: string): Promise<Wires> {
  const client = restClient(switchboard.url, key);
  const mcp = [await mcpHttp(switchboard, key), await mcpStdio(switchboard, key)];
  return {
    mcp,
    async rest(operation, input, row) {
      const headers = row?.waits ? { Prefer: 'wait=10' } : {};
      const answer = await callOperation(client, operation, input, headers);
      if (answer.status < 400) expect(answer.status).toBe(operation.http.status);
      else {
        expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(answer.json['status']).toBe(answer.status);
      }
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
      return { failed: answer.status >= 400, json: answer.json };
    },
    close: async () => void (await Promise.all(mcp.map((one) => one.close()))),
  };
}

/** The same question over every wire; `input` is asked for anew each time. */
async function everywhere(
  { rest, mcp }: Wires,
  operation: Operation,
  row: Row,
  input: () => Promise<JsonObject> | JsonObject,
): Promise<readonly Answer[]> {
  const answers = [await rest(operation, await input(), row)];
  for (const client of operation.tool === null ? [] : mcp) {
    const given = await input();
    const { isError, json } = await client.call(operation.tool ?? '', row.tool?.(given) ?? given);
    answers.push({ failed: isError, json });
  }
  return answers;
}

/** Ids and times aside where something was made for the answer, to the byte where it was only read. */
const comparable = (operation: Operation, { json: given }: Answer) => {
  const json = calledAlike(given);
  return JSON.stringify(
    withoutCall(operation.effect === 'read' && !parityRow(operation).timely ? json : mask(json)),
  );
};

function expectSame(operation: Operation, answers: readonly Answer[]): void {
  const [first, ...others] = answers;
  for (const other of others) {
    expect(other.failed).toBe(first?.failed);
    expect(comparable(operation, other)).toBe(first && comparable(operation, first));
  }
}

function expectRefused(operation: Operation, answers: readonly Answer[], problem: JsonObject): void {
  for (const { json } of answers) expect(json).toMatchObject(problem);
  expect(answers.map(({ failed }) => failed)).not.toContain(false);
  expectSame(operation, answers);
}

const each = catalogue.map((operation) => [operation.name, operation] as const);

test('every row is of an operation', () => {
  const names = catalogue.map(({ name }) => name);
  expect(Object.keys(parityRows).filter((name) => !names.includes(name))).toEqual([]);
});

test.each(each.filter(([, { surfaces }]) => surfaces.includes('rest') && surfaces.includes('mcp')))(
  '%s answers the same over REST, MCP over HTTP and MCP over stdio',
  async (_name, operation) => {
    const row = parityRow(operation);
    const answers = await everywhere(wires, operation, row, () => row.input(world));
    for (const { failed, json } of answers) expect([failed, json]).toEqual([false, expect.anything()]);
    expectSame(operation, answers);
  },
);

describe('the same refusal on every wire', () => {
  test.each(each)('%s: the scope is missing, whatever else is wrong', async (_name, operation) => {
    if (operation.scope === 'any') return;
    const row = parityRow(operation);
    for (const input of [await row.input(world), { no_such_field: 1 }, {}]) {
      expectRefused(operation, await everywhere(powerless, operation, row, () => input), {
        status: 403,
        code: 'key.scope_missing',
        details: { required_scope: operation.scope },
        effect: 'none',
      });
    }
  });

  test.each(each)('%s: a field that does not exist', async (_name, operation) => {
    const row = parityRow(operation);
    for (const name of ['no_such_field', 'workspace_id', 'constructor']) {
      const input = { ...(await row.input(world)), [name]: 'x' };
      const answers = await everywhere(wires, operation, row, () => input);
      expectRefused(operation, answers, { status: 400, code: 'request.invalid' });
      for (const { json } of answers) {
        expect(objects(json['errors'])).toEqual([
          { path: name, code: 'field.unknown', message: expect.any(String) },
        ]);
      }
    }
  });

  test.each(each.filter(([name]) => parityRows[name]?.malformed))(
    '%s: values that the schema refuses',
    async (_name, operation) => {
      const row = parityRow(operation);
      const input = { ...(await row.input(world)), ...row.malformed };
      const answers = await everywhere(wires, operation, row, () => input);
      expectRefused(operation, answers, { status: 400, code: 'request.invalid' });
      for (const { json } of answers) {
        const paths = objects(json['errors']).map(({ path }) => String(path).split('.')[0]);
        expect([...new Set(paths)].sort()).toEqual(Object.keys(row.malformed ?? {}).sort());
      }
    },
  );
});

test('a key that is missing, malformed, unknown, expired or revoked gets one and the same 401 everywhere', async () => {
  const expired = await operator.makeExpiredKey({ scopes });
  const revoked = await operator.makeKey({ scopes });
  await revoked.revoke();
  const unknown = switchboard.keys.full.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const bodies = new Set<string>();
  for (const key of [null, 'nonsense', unknown, expired.token, revoked.token]) {
    for (const operation of catalogue) {
      const answer = await callOperation(restClient(switchboard.url, key), operation, { no_such_field: 1 });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      bodies.add(JSON.stringify(withoutCall(answer.json)));
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
    expect([mcp.status, mcp.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    bodies.add(JSON.stringify(withoutCall(await mcp.json())));
  }
  expect([...bodies]).toHaveLength(1);
  expect([...bodies][0]).toContain('auth.invalid_key');
});

test('an idempotency key means the same request whatever wire repeats it', async () => {
  const create = catalogue.find(({ name }) => name === 'createProfile') as Operation;
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
