import { beforeEach, describe, expect, test } from '@jest/globals';
import { ok, refuse, type Call } from '@switchboard/domain';
import type { Ports } from '@switchboard/domain/ports';
import type { Confirmation } from '../define.js';
import {
  setupDispatch,
  insertProfile,
  makeThing,
  readThing,
  type DispatchFixture,
} from '../testing/setup-dispatch.js';

let it: DispatchFixture;
beforeEach(async () => {
  it = await setupDispatch();
});
const unread = () => Promise.reject(new Error('the input was read'));

describe('the order of checks', () => {
  test('a key is checked before any input is read, with one response for all invalid keys', async () => {
    const expired = await it.key(['profiles:write'], { expiresAt: new Date('2026-01-01T00:00:00Z') });
    const revoked = await it.key(['profiles:write']);
    await it.repositories.apiKeys.revoke(it.workspace.id, revoked.key.id);
    const real = it.authorization;
    const headers = [
      undefined,
      '',
      'Basic abc',
      real.replace('Bearer ', ''),
      `${real}x`,
      real.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
      'Bearer swb_nonsense',
      expired.authorization,
      revoked.authorization,
    ];
    for (const authorization of headers) {
      const answer = await it.call(makeThing(), {}, { authorization, readInput: unread, requestId: 'req' });
      expect(answer).toMatchObject({ status: 401, value: { code: 'auth.invalid_key' } });
      const first = await it.call(makeThing(), {}, { authorization: undefined, requestId: 'req' });
      expect(answer.body()).toBe(first.body());
    }
    expect(it.used).toEqual([]);
    expect(it.audit()).toEqual(['makeThing auth.invalid_key', 'makeThing auth.invalid_key']);
  });

  test('a scope is checked before the shape of the input, and the response names the missing one', async () => {
    const { authorization } = await it.key(['profiles:read']);
    const answer = await it.call(makeThing(), {}, { authorization, readInput: unread });
    expect(answer).toMatchObject({
      status: 403,
      value: { code: 'key.scope_missing', details: { required_scope: 'profiles:write' } },
    });
    expect(it.audit()).toEqual(['makeThing key.scope_missing']);
  });

  test('a missing scope is recorded for reads too, and a failed read is not', async () => {
    const { authorization } = await it.key(['profiles:write']);
    await it.call(readThing(), { name: 'a' }, { authorization });
    await it.call(readThing(), { nothing: 1 });
    expect(it.audit()).toEqual(['readThing key.scope_missing']);
  });

  test('an input problem that the transport finds is returned unchanged', async () => {
    const answer = await it.call(makeThing(), null, {
      readInput: async () => refuse('request.too_large', 'Send less.'),
    });
    expect(answer).toMatchObject({ status: 413, failure: { code: 'request.too_large' } });
    expect(it.audit()).toEqual(['makeThing request.too_large']);
  });

  test('reports an unknown, a missing and an invalid field together, and changes nothing', async () => {
    const answer = await it.call(makeThing(), { some_number: 'one', colour: 'red' });
    expect(answer).toMatchObject({
      status: 400,
      value: {
        code: 'request.invalid',
        errors: [
          { path: 'name', code: 'field.required' },
          { path: 'some_number', code: 'field.invalid_type' },
          { path: 'colour', code: 'field.unknown' },
        ],
      },
    });
    expect(await it.names()).toEqual([]);
  });
});

describe('the rate limit of a key', () => {
  const quota = { name: 'key', quota: 600, windowSeconds: 60, remaining: 0, resetSeconds: 17 } as const;
  const exhausted = { exhausted: quota, quotas: [quota] };

  test('is checked after the scope and before any input is read', async () => {
    it.limits.answer(exhausted);
    expect(await it.call(makeThing(), {}, { readInput: unread })).toMatchObject({
      status: 429,
      failure: { retryAfterSeconds: 17 },
      value: { code: 'rate_limit.exceeded', retry_after_seconds: 17, retryable: true, effect: 'none' },
      allowance: exhausted,
    });
    const { authorization } = await it.key(['profiles:read']);
    expect(await it.call(makeThing(), {}, { authorization, readInput: unread })).toMatchObject({
      status: 403,
      allowance: exhausted,
    });
  });

  test('is reported with every response to a known key, and with none to others', async () => {
    const [made, unknown] = [
      await it.call(makeThing(), { name: 'one' }),
      await it.call(makeThing(), { name: 'one' }, { authorization: 'Bearer swb_nonsense' }),
    ];
    expect([made.allowance?.quotas[0]?.remaining, unknown.allowance]).toEqual([599, null]);
  });

  test('rejects refunds and changes of keys when requests cannot be counted, and nothing else', async () => {
    it.limits.answer({ isShared: false });
    const { authorization } = await it.key(['refunds:write', 'keys:admin', 'posts:write', 'orders:read']);
    const status = async (scope: 'refunds:write' | 'keys:admin' | 'posts:write', effect: 'read' | 'create') =>
      (await it.call(makeThing({ scope, effect }), { name: `${scope} ${effect}` }, { authorization })).status;
    expect(await status('refunds:write', 'create')).toBe(503);
    expect(await status('keys:admin', 'create')).toBe(503);
    expect(await status('keys:admin', 'read')).toBe(201);
    expect(await status('posts:write', 'create')).toBe(201);
    expect(await it.names()).toHaveLength(2);
  });
});

describe('a response', () => {
  test('contains only what the schema declares', async () => {
    const answer = await it.call(makeThing(), { name: 'one' });
    expect(answer).toMatchObject({ status: 201, failure: null, replayed: false });
    expect(JSON.parse(answer.body())).toEqual({ id: expect.stringMatching(/^prf_/), name: 'one' });
    expect(JSON.parse(answer.body())).toEqual(answer.value);
  });

  test('has an entity tag where the operation has one, and no body at 204', async () => {
    const operation = makeThing({
      etag: () => '"7"',
      http: { method: 'post', path: '/things', status: 204 },
    });
    const answer = await it.call(operation, { name: 'one' });
    expect(answer).toMatchObject({ status: 204, etag: '"7"' });
    expect(answer.body()).toBe('');
  });

  test('reports a failure of the use case with its status and the request id', async () => {
    const answer = await it.call(makeThing(), { name: 'refused' }, { requestId: 'req_7' });
    expect(answer).toMatchObject({
      status: 409,
      value: { code: 'profile.in_use', request_id: 'req_7', effect: 'none', retryable: false },
    });
  });
});

describe('a change and its audit row', () => {
  test('commit together', async () => {
    const answer = await it.call(makeThing(), { name: 'one' });
    expect(await it.names()).toEqual(['one']);
    expect(it.auditRows().at(-1)).toEqual({
      workspaceId: it.workspace.id,
      actor: it.used[0]?.id,
      action: 'makeThing',
      object: answer.value['id'],
      outcome: 'ok',
      requestId: 'req_1',
      details: { surface: 'rest' },
    });
  });

  test('are rolled back together when the response cannot be built', async () => {
    const present = (() => ({ id: 7 })) as never;
    expect(await it.call(makeThing({ present }), { name: 'one' })).toMatchObject({ status: 500 });
    expect([await it.names(), it.audit()]).toEqual([[], []]);
  });

  test('are rolled back together when the use case rejects the call after it wrote', async () => {
    const useCase = (async (...given: never[]) => {
      await (makeThing().useCase as (...all: never[]) => Promise<unknown>)(...given);
      return refuse('profile.in_use', 'After all.');
    }) as never;
    await it.call(makeThing({ useCase }), { name: 'one' });
    expect([await it.names(), it.audit()]).toEqual([[], ['makeThing profile.in_use']]);
  });

  test('are written together by a use case that writes its own audit row, and dispatch adds none', async () => {
    await it.call(makeThing({ writesOwnAuditRow: true }), { name: 'one' });
    expect([await it.names(), it.audit()]).toEqual([['one'], []]);
  });

  test('name the object that the operation declares', async () => {
    await it.call(makeThing({ object: () => 'another' }), { name: 'one' });
    expect(it.auditRows().at(-1)).toMatchObject({ object: 'another' });
  });
});

describe('a use case of several steps', () => {
  test('has a row in its first step that commits, and one for its outcome', async () => {
    const useCase = (async ({ transactions, ids }: Ports) => {
      await transactions.run(async () => refuse('profile.in_use', 'Not this one.'));
      for (let at = 0; at < 3; at++) await transactions.run(async () => ok());
      return ok({ id: ids.next('prf'), name: 'one' });
    }) as never;
    await it.call(makeThing({ boundary: 'staged', useCase }), { name: 'one' });
    expect(it.audit()).toEqual(['makeThing begun', 'makeThing ok']);
    await it.call(makeThing({ boundary: 'staged', effect: 'read', useCase }), { name: 'one' });
    expect(it.audit()).toHaveLength(2);
  });

  test('changes nothing when the audit row cannot be written', async () => {
    const { run } = it.ports.transactions;
    it.ports.transactions = {
      run: (work) =>
        run((tx) =>
          work({ ...tx, audit: { ...tx.audit, append: () => Promise.reject(new Error('no audit')) } }),
        ),
    };
    const useCase = (async ({ transactions, ...rest }: Ports) =>
      transactions.run((tx) =>
        (makeThing().useCase as (...all: unknown[]) => never)(
          { ...rest, ...tx },
          { workspaceId: it.workspace.id },
          { name: 'one' },
        ),
      )) as never;
    for (const operation of [makeThing(), makeThing({ boundary: 'staged', useCase })])
      expect(await it.call(operation, { name: 'one' })).toMatchObject({
        status: 500,
        value: { effect: 'none' },
      });
    expect(await it.names()).toEqual([]);
  });
});

describe('rejected calls of an existing key', () => {
  test('return their failure even when they cannot be recorded, and the error is reported', async () => {
    it.ports.auditCounter = { count: () => Promise.reject(new Error('no audit')) };
    const useCase = (async () => refuse('platform.outcome_unknown', 'The outcome is unknown.')) as never;
    const answer = await it.call(makeThing({ boundary: 'staged', useCase }), { name: 'one' });
    expect(answer).toMatchObject({
      status: 502,
      value: { code: 'platform.outcome_unknown', effect: 'unknown' },
    });
    expect(it.thrown.map(String)).toEqual(['Error: no audit']);
  });

  test('that are identical are aggregated to one row a minute with their count', async () => {
    const { key, authorization } = await it.key(['profiles:write']);
    await it.repositories.apiKeys.revoke(it.workspace.id, key.id);
    for (let at = 0; at < 500; at++) await it.call(makeThing(), {}, { authorization });
    await it.call(readThing(), {}, { authorization });
    await it.counter.flush('all');
    const { items } = await it.repositories.auditTrail.list(it.workspace.id, { actor: key.id }, { limit: 9 });
    expect(items.map(({ action, outcome, count }) => [action, outcome, count])).toEqual([
      ['readThing', 'auth.invalid_key', 1],
      ['makeThing', 'auth.invalid_key', 500],
    ]);
    expect(items[0]?.details).toEqual({ surface: 'rest', reason: 'revoked' });
  });

  test('are not recorded while a confirmation is pending, and an approved call records the confirmation', async () => {
    const useCase = (async (ports: never, call: Call, command: never) =>
      call.confirmed
        ? await insertProfile(ports, call, command)
        : refuse('refund.not_confirmed', 'A person has to confirm first.')) as never;
    const confirm = { code: 'refund.not_confirmed' } as Confirmation;
    const change = makeThing({ useCase, confirm });
    await it.call(change, { name: 'one' }, { confirmed: false });
    expect(it.audit()).toEqual([]);
    await it.call(change, { name: 'one' }, { confirmed: true });
    expect(it.auditRows().at(-1)).toMatchObject({
      outcome: 'ok',
      details: { surface: 'rest', confirmed: true },
    });
  });

  test.each([
    ['expired', { expiresAt: new Date('2026-01-01T00:00:00Z') }, '127.0.0.1'],
    ['elsewhere', { allowedCidrs: ['10.0.0.0/8'] }, '127.0.0.1'],
  ])(
    'report the failure code to the audit log and the observer only: %s',
    async (reason, policy, address) => {
      const { key, authorization } = await it.key(['profiles:write'], policy);
      const answer = await it.call(makeThing(), {}, { authorization, address });
      const unknown = await it.call(makeThing(), {}, { authorization: undefined, requestId: 'req_1' });
      expect(answer.body()).toBe(unknown.body());
      expect(it.auditRows().at(-1)).toMatchObject({
        actor: key.id,
        outcome: 'auth.invalid_key',
        details: { reason },
      });
    },
  );
});

describe('an unexpected exception', () => {
  const throwing = (error: Error, over = {}) => makeThing({ useCase: () => Promise.reject(error), ...over });

  test('is an internal error that reveals no detail, and is reported once', async () => {
    const error = new Error('password=hunter2 SELECT * FROM keys');
    const answer = await it.call(throwing(error), { name: 'one' });
    expect(answer).toMatchObject({ status: 500, value: { code: 'internal.error', effect: 'none' } });
    expect(answer.body()).not.toMatch(/hunter2|SELECT|stack|at /);
    expect(it.thrown).toEqual([error]);
  });

  test('in the identity lookup is answered with an internal error too', async () => {
    it.ports.apiKeys = { ...it.ports.apiKeys, findByPublicId: () => Promise.reject(new Error('broken')) };
    expect(await it.call(makeThing(), { name: 'one' })).toMatchObject({ status: 500 });
    expect(it.records).toMatchObject([{ outcome: 'internal.error', keyId: null, workspaceId: null }]);
  });

  const step = (ports: Ports) => ports.transactions.run(async () => ok());

  test('has an unknown effect when it occurs after the first of several steps', async () => {
    const useCase = (async (ports: Ports) => {
      await step(ports);
      throw new Error('half-way');
    }) as never;
    expect(await it.call(makeThing({ boundary: 'staged', useCase }), { name: 'one' })).toMatchObject({
      status: 500,
      value: { effect: 'unknown' },
    });
    expect(it.audit()).toEqual(['makeThing begun']);
  });

  test('has no effect when it occurs before the first of several steps is committed', async () => {
    const staged = throwing(new Error('early'), { boundary: 'staged' });
    expect(await it.call(staged, { name: 'one' })).toMatchObject({ status: 500, value: { effect: 'none' } });
  });

  test('has no effect when it occurs before a staged use case starts', async () => {
    const readInput = () => Promise.reject(new Error('before'));
    const answer = await it.call(makeThing({ boundary: 'staged' }), {}, { readInput });
    expect(answer).toMatchObject({ status: 500, value: { effect: 'none' } });
  });

  test('because the database is unreachable is 503, and a commit without acknowledgment has an unknown effect', async () => {
    const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(await it.call(throwing(away), { name: 'one' })).toMatchObject({
      status: 503,
      value: { code: 'service.unavailable', effect: 'unknown', retry_after_seconds: 5, retryable: true },
    });
    it.ports.apiKeys = { ...it.ports.apiKeys, findByPublicId: () => Promise.reject(away) };
    expect(await it.call(throwing(away), { name: 'one' })).toMatchObject({
      status: 503,
      value: { effect: 'none' },
    });
  });
});

test('every call is recorded once, with every outcome', async () => {
  const thing = makeThing();
  await it.call(thing, { name: 'one' });
  await it.call(thing, { name: 'refused' });
  await it.call(thing, {});
  await it.call(thing, {}, { authorization: undefined });
  await it.call(thing, {}, { readInput: unread });
  expect(it.records.map(({ operation, outcome, requestId }) => [operation, outcome, requestId])).toEqual([
    ['makeThing', 'ok', 'req_1'],
    ['makeThing', 'profile.in_use', 'req_2'],
    ['makeThing', 'request.invalid', 'req_3'],
    ['makeThing', 'auth.invalid_key', 'req_4'],
    ['makeThing', 'internal.error', 'req_5'],
  ]);
  expect(it.records[0]).toMatchObject({
    surface: 'rest',
    workspaceId: it.workspace.id,
    keyId: it.used[0]?.id,
  });
  expect(it.records.every(({ durationMs }) => durationMs >= 0)).toBe(true);
});

test('MCP validates against the narrower input of a tool where there is one', async () => {
  const operation = makeThing({ mcpInput: makeThing().input.pick({ name: true }) });
  const input = { name: 'one', some_number: 1 };
  expect(await it.call(operation, input)).toMatchObject({ status: 201 });
  expect(await it.call(operation, input, { surface: 'mcp' })).toMatchObject({ status: 400 });
});

test('the use case receives the caller and the abort signal of the caller', async () => {
  const gone = new AbortController();
  const calls: { surface: string; ifMatch?: string; signal: AbortSignal; waitSeconds: number }[] = [];
  const useCase = (async (_ports: unknown, call: never) => {
    calls.push(call);
    return ok({ id: 'thing', name: 'one' });
  }) as never;
  const over = { surface: 'mcp', ifMatch: '"3"', waitSeconds: 7, signal: gone.signal } as const;
  await it.call(makeThing({ useCase }), { name: 'one' }, over);
  await it.call(makeThing({ useCase, waitSeconds: 20 }), { name: 'one' });
  gone.abort();
  expect(calls).toMatchObject([
    { surface: 'mcp', ifMatch: '"3"', waitSeconds: 7, signal: { aborted: true } },
    { surface: 'rest', waitSeconds: 20, signal: { aborted: false } },
  ]);
});
