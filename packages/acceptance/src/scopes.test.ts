import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { satisfies, scopes, type Scope } from '@switchboard/domain/access';
import { catalog, type Operation } from '@switchboard/operations';
import { createMcpCaller, createRestCaller } from './support/operation-exchange.js';
import { asText } from './support/json.js';
import { connectMcpHttp } from './support/mcp-client.js';
import { openOperator, type Operator } from './support/operator.js';
import { restClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

let switchboard: Switchboard;
let operator: Operator;
beforeAll(async () => {
  switchboard = await serveSwitchboard({ name: 'scopes', mcp: true });
  operator = await openOperator(switchboard);
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
});

const keyWith = async (held: readonly Scope[]) => (await operator.createKey({ scopes: held })).token;
const isAllowed = ({ scope }: Operation, held: readonly Scope[]) => scope === 'any' || satisfies(held, scope);

/** Every operation over every wire: rejected for its scope or, at a later stage, for an unknown field. */
async function expectAuthorization(held: readonly Scope[]): Promise<void> {
  const key = await keyWith(held);
  const asked = { rest: createRestCaller(switchboard, key), mcp: createMcpCaller(switchboard, key) };
  for (const operation of catalog) {
    for (const wire of operation.tool === null ? (['rest'] as const) : (['rest', 'mcp'] as const)) {
      const { json } = await asked[wire](operation, { no_such_field: 1 });
      expect([operation.name, wire, json['status'], json['code'], json['details']]).toEqual([
        ...[operation.name, wire],
        ...(isAllowed(operation, held)
          ? [400, 'request.invalid', undefined]
          : [403, 'key.scope_missing', { required_scope: operation.scope }]),
      ]);
    }
  }
  const client = await connectMcpHttp(switchboard, key);
  const listed = await client.tools();
  await client.close();
  const tools = catalog.flatMap((one) => (one.tool !== null && isAllowed(one, held) ? [one.tool] : []));
  expect([...listed].sort()).toEqual(tools.sort());
}

test('every known scope has an operation, and every operation has a known scope', () => {
  const known = new Set<string>([...scopes, 'any']);
  for (const { name, scope } of catalog) expect([name, known.has(scope)]).toEqual([name, true]);
});

describe('a key with one scope may do exactly what it covers', () => {
  test.each(scopes)('%s', (scope) => expectAuthorization([scope]));
});

describe('a key with all scopes but one may do everything else', () => {
  // `posts:write` includes reading.
  test.each(scopes)('without %s', (missing) =>
    expectAuthorization(scopes.filter((scope) => scope !== missing)),
  );
});

describe('a key that creates keys', () => {
  test.each(scopes.filter((scope) => scope !== 'keys:admin'))('without %s cannot grant it', async (scope) => {
    const held = scopes.filter((one) => one !== scope && !(scope === 'posts:read' && one === 'posts:write'));
    const mine = await operator.createKey({ scopes: held });
    const client = restClient(switchboard.url, mine.token);
    const spare = await client.expect(201, 'POST', '/keys', {
      body: { name: 'spare', scopes: ['keys:admin'] },
    });
    const stronger = await operator.createKey({ scopes: [scope] });
    const attempts = [
      await client.post('/keys', { name: 'more', scopes: [scope] }),
      await client.post('/keys', { name: 'all', scopes }),
      await client.sendRequest('PATCH', `/keys/${asText(spare['id'])}`, {
        body: { scopes: ['keys:admin', scope] },
      }),
      await client.sendRequest('PATCH', `/keys/${mine.id}`, { body: { scopes } }),
      // A key that could rotate a stronger key would obtain its permissions.
      await client.post(`/keys/${stronger.id}/rotate`, { overlap_seconds: 0 }),
    ];
    expect(attempts.map(({ status, json }) => [status, json['code']])).toEqual(
      attempts.map(() => [403, 'key.scope_exceeded']),
    );
    const before = await restClient(switchboard.url, stronger.token).get('/me');
    expect(before.status).toBe(200);
  });

  test('creates no key with a wider policy than its own', async () => {
    const own = {
      expiresAt: new Date(Date.now() + 86_400_000),
      allowedCidrs: ['127.0.0.0/8'],
      refundCeilings: [{ currency: 'EUR', perRefundMinor: 5000, perDayMinor: 50_000 }],
      approval: { posts: 'always', refundsOver: [{ currency: 'EUR', amountMinor: 100 }], expiresInHours: 24 },
      hidePersonalData: true,
    } as const;
    const bounded = await operator.createKey({ scopes: ['keys:admin', 'refunds:write'], policy: own });
    const client = restClient(switchboard.url, bounded.token);
    const wide = await operator.createKey({ scopes: ['refunds:write'] });
    const policy = {
      expires_at: own.expiresAt.toISOString(),
      allowed_cidrs: ['127.0.0.1/32'],
      refund_ceilings: [{ currency: 'EUR', per_refund: '50.00', per_day: '500.00' }],
      approval: {
        posts: 'always',
        refunds_over: [{ currency: 'EUR', amount: '1.00' }],
        expires_in_hours: 24,
      },
      hide_personal_data: true,
    };
    const body = { name: 'equally narrow', scopes: ['refunds:write'], policy };
    const made = await client.expect(201, 'POST', '/keys', { body });
    for (const wider of [
      { expires_at: null },
      { expires_at: new Date(Date.now() + 2 * 86_400_000).toISOString() },
      { allowed_cidrs: null },
      { allowed_cidrs: ['127.0.0.1/32', '192.0.2.0/24'] },
      { refund_ceilings: null },
      {
        refund_ceilings: [
          ...policy.refund_ceilings,
          { currency: 'USD', per_refund: '1.00', per_day: '1.00' },
        ],
      },
      { refund_ceilings: [{ currency: 'EUR', per_refund: '50.01', per_day: '500.00' }] },
      { approval: null },
      { approval: { ...policy.approval, posts: 'never' } },
      { approval: { ...policy.approval, refunds_over: [] } },
      { approval: { ...policy.approval, refunds_over: [{ currency: 'EUR', amount: '1.01' }] } },
      { approval: { ...policy.approval, expires_in_hours: 25 } },
      { hide_personal_data: false },
    ]) {
      const attempts = [
        await client.post('/keys', { ...body, policy: { ...policy, ...wider } }),
        await client.sendRequest('PATCH', `/keys/${asText(made['id'])}`, { body: { policy: wider } }),
        await client.sendRequest('PATCH', `/keys/${bounded.id}`, { body: { policy: wider } }),
        await client.post(`/keys/${wide.id}/rotate`, { overlap_seconds: 0 }),
      ];
      expect([wider, ...attempts.map(({ status, json }) => [status, json['code']])]).toEqual([
        wider,
        ...attempts.map(() => [403, 'key.policy_exceeded']),
      ]);
    }
  });

  test('cannot grant a scope that it lost meanwhile', async () => {
    const full = restClient(switchboard.url, switchboard.keys.full);
    const key = await operator.createKey({ scopes: ['keys:admin', 'refunds:write'] });
    const client = restClient(switchboard.url, key.token);
    await full.expect(200, 'PATCH', `/keys/${key.id}`, { body: { scopes: ['keys:admin'] } });
    expect(await client.post('/keys', { name: 'late', scopes: ['refunds:write'] })).toMatchObject({
      status: 403,
      json: { code: 'key.scope_exceeded' },
    });
  });
});
