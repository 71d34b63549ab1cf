import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openApiValidator } from '@switchboard/simulators';
import { Ajv } from 'ajv';
import { listCalls, buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { loadFixtures } from '@switchboard/platform-kit/testing/fixture-replay';
import square from './index.js';
import { startWorld } from './testing/world.js';
import { SQUARE_VERSION } from './version.js';

interface Schema {
  type?: string;
  properties?: object;
  additionalProperties?: unknown;
  enum?: string[];
}
interface Description {
  readonly 'x-fern-global-headers': readonly { readonly header: string; readonly type: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Record<string, unknown> }>>>
  >;
}

const directory = process.env['SWITCHBOARD_DESCRIPTIONS_DIR'];

if (directory === undefined) {
  test.skip('NOT CHECKED against the published description: SWITCHBOARD_DESCRIPTIONS_DIR is not set', () => {});
} else {
  describe('against the published description', () => {
    const description = JSON.parse(
      readFileSync(path.join(directory, 'square/api.json'), 'utf8'),
    ) as Description;
    const judge = openApiValidator(
      strict(description),
      new Ajv({ strict: false, validateFormats: false, validateSchema: false }),
    );
    let world: Awaited<ReturnType<typeof startWorld>>;
    beforeAll(async () => {
      world = await startWorld({ locations: 12 });
      const session = testSession(world);
      const { orders, refunds } = square;
      const since = new Date('2026-10-03T00:00:00.000Z');
      for (const sort of ['-created_at', 'created_at', '-updated_at', 'updated_at'] as const) {
        const query = {
          sort,
          statuses: ['open', 'completed'] as const,
          createdAfter: since,
          updatedBefore: new Date(),
        };
        const first = await orders?.list(session, query, { limit: 9 });
        if (!first?.ok) throw new Error('nothing was listed');
        await orders?.list(session, query, { limit: 9, token: first.value.next });
      }
      await orders?.get(session, 'ORDER0007');
      const refund = (paymentId: string, amountMinor: number) =>
        refunds?.refund(
          session,
          buildInstruction('ORDER0000', paymentId, 'USD', amountMinor, { reason: 'Broken' }),
        );
      await refund('PAY0x0', 100);
      await refund('PAY0x0', 1_000_000);
      await refund('PAY5x0', 100);
      await refunds?.find?.(session, buildInstruction('ORDER0000', 'PAY0x0', 'USD', 100));
      for (const call of listCalls(square)) {
        await call.run(session);
        await call.run(testSession({ ...world, token: world.weakToken }));
      }
      const externalIds = world.store.webhooks.list().map(({ id }) => id);
      await orders?.webhooks?.remove(session, { url: 'https://switchboard.example', externalIds });
    });
    afterAll(() => world.close());

    test('it describes every request and every response of the simulator', () => {
      expect(world.exchanges().flatMap((exchange) => judge(exchange))).toEqual([]);
    });

    test('it describes every recorded fixture response', () => {
      const written = [...loadFixtures(import.meta.dirname).values()].flat();
      expect(written.length).toBeGreaterThan(0);
      expect(written.flatMap((exchange) => judge(exchange))).toEqual([]);
    });

    test('every operation of Square was exercised, in the described version', () => {
      const requested = world
        .exchanges()
        .map(({ method, path: at }) => `${method} ${at.replace(/\/(ORDER|PAY|nothing|wbhk_)\w*/, '/id')}`);
      expect([...new Set(requested)].sort()).toEqual([
        'DELETE /v2/webhooks/subscriptions/id',
        'GET /v2/locations',
        'GET /v2/merchants/me',
        'GET /v2/orders/id',
        'GET /v2/payments',
        'GET /v2/payments/id',
        'GET /v2/refunds/id',
        'GET /v2/webhooks/subscriptions',
        'GET /v2/webhooks/subscriptions/id',
        'POST /v2/customers/bulk-retrieve',
        'POST /v2/orders/search',
        'POST /v2/refunds',
        'POST /v2/webhooks/subscriptions',
      ]);
      expect([...new Set(world.exchanges().map(({ version }) => version))]).toEqual([SQUARE_VERSION]);
      expect(description['x-fern-global-headers'][0]?.type).toContain(SQUARE_VERSION);
    });

    test('the validator rejects an undocumented request', () => {
      const base = { method: 'POST', path: '/v2/refunds', status: 200, answered: {} };
      const money = { amount: 1, currency: 'USD' };
      expect(judge({ ...base, sent: { idempotency_key: 'k', amount_money: money } })).toEqual([]);
      expect(judge({ ...base, sent: { amount_money: money } })).toHaveLength(1);
      expect(
        judge({ ...base, sent: { idempotency_key: 'k', amount_money: money, restock: true } }),
      ).toHaveLength(1);
      expect(
        judge({ ...base, sent: { idempotency_key: 'k', amount_money: { ...money, amount: '1' } } }),
      ).toHaveLength(1);
      expect(
        judge({ ...base, status: 400, sent: { idempotency_key: 'k', amount_money: money } }),
      ).toHaveLength(1);
      const listed = { method: 'GET', path: '/v2/payments', status: 200, answered: {} };
      expect(judge({ ...listed, query: new URLSearchParams({ order_id: 'x' }) })).toHaveLength(1);
    });
  });
}

/**
 * The description defines only success responses; according to its text every other has errors. Undocumented
 * fields are rejected in both. One error code that it defines for this endpoint is missing there and is
 * added.
 */
function strict(description: Description): Description {
  const { schemas } = description.components;
  for (const schema of Object.values(schemas)) {
    if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
  }
  schemas['ErrorCode']?.enum?.push('VERSION_MISMATCH');
  const errors = { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/Error' } };
  const schema = { type: 'object', required: ['errors'], properties: { errors } };
  for (const operation of Object.values(description.paths).flatMap((methods) => Object.values(methods))) {
    operation.responses['default'] = { content: { 'application/json': { schema } } };
  }
  return description;
}
