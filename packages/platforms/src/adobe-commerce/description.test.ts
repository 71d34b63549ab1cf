import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openApiValidator, swaggerToOpenApi, type ObservedExchange } from '@switchboard/simulators';
import { Ajv } from 'ajv';
import { load } from 'js-yaml';
import { listCalls, buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { loadFixtures } from '@switchboard/platform-kit/testing/fixture-replay';
import adobeCommerce from './index.js';
import { startWorld } from './testing/world.js';

interface Schema {
  type?: unknown;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
}
interface Description {
  readonly definitions: Record<string, Schema>;
}

const directory = process.env['SWITCHBOARD_DESCRIPTIONS_DIR'];

if (directory === undefined) {
  test.skip('NOT CHECKED against the published description: SWITCHBOARD_DESCRIPTIONS_DIR is not set', () => {});
} else {
  describe('against the published description', () => {
    const file = path.join(directory, 'adobe-commerce/admin-schema-2.4.8.yaml');
    const description = load(readFileSync(file, 'utf8')) as Description;
    const { definitions } = description;
    // Two fields of a payment are null in the documentation's own examples, and the parameters of an error
    // have names.
    for (const name of ['account_status', 'cc_last4']) {
      Object.assign(definitions['sales-data-order-payment-interface']?.properties ?? {}, {
        [name]: { type: ['string', 'null'] },
      });
    }
    definitions['error-parameters'] = { type: ['array', 'object'] };
    // The description allows nothing else, although it does not state so: Magento ignores undocumented
    // fields, so sending one would be a defect of ours.
    for (const schema of Object.values(definitions)) {
      if (schema.properties) schema.additionalProperties = false;
    }
    const judgeAsDescribed = openApiValidator(
      swaggerToOpenApi(description),
      new Ajv({ strict: false, validateFormats: false, validateSchema: false, allowUnionTypes: true }),
    );
    /** The description covers the paths below `/rest`, and of every list the first element. */
    const judge = ({ query, ...exchange }: ObservedExchange) =>
      judgeAsDescribed({
        ...exchange,
        path: exchange.path.replace(/^\/rest/, ''),
        query: new URLSearchParams(
          [...(query ?? [])].map(
            ([name, value]) => [name.replaceAll(/\[\d+\]/g, '[0]'), value] as [string, string],
          ),
        ),
      });
    let world: Awaited<ReturnType<typeof startWorld>>;
    beforeAll(async () => {
      world = await startWorld();
      const session = testSession(world);
      const { orders, refunds } = adobeCommerce;
      const since = new Date('2026-10-01T00:00:00.000Z');
      for (const sort of ['-created_at', 'updated_at'] as const) {
        const query = {
          sort,
          statuses: ['open'] as const,
          createdAfter: since,
          updatedBefore: new Date('2027-01-01T00:00:00.000Z'),
          currency: 'EUR',
          minTotalMinor: 100,
        };
        const first = await orders?.list(session, query, { limit: 9 });
        if (!first?.ok) throw new Error('nothing was listed');
        await orders?.list(session, query, { limit: 9, token: first.value.next });
      }
      await orders?.list(session, { sort: 'created_at' }, { limit: 100 });
      const taxed = world.store.orderNamed('taxed');
      const found = await orders?.get(session, String(taxed.entity_id));
      if (!found?.ok || !found.value) throw new Error('there is no order');
      const [cups] = found.value.lines;
      const lines = [{ id: cups?.id ?? '', quantity: 1, restock: true, locationId: null }];
      await refunds?.calculate?.(session, found.value, { lines, shippingMinor: 605 });
      const [payment] = found.value.payments;
      const more = {
        kind: 'lines',
        lines,
        shippingMinor: 605,
        notifyCustomer: true,
        reason: 'Broken',
      } as const;
      const created = await refunds?.refund(
        session,
        buildInstruction(found.value.externalId, payment?.id ?? '', 'EUR', 1_814, more),
      );
      if (!created?.ok) throw new Error('nothing was refunded');
      await refunds?.refund(
        session,
        buildInstruction(found.value.externalId, payment?.id ?? '', 'EUR', 99_999),
      );
      const cheque = String(world.store.orderNamed('cheque').entity_id);
      const payments = [{ id: 'offline', amountMinor: 100, moneyMoved: false }];
      await refunds?.refund(session, buildInstruction(cheque, 'offline', 'EUR', 100, { payments }));
      for (const call of listCalls(adobeCommerce, () => world)) {
        await call.run(session);
        await call.run(testSession({ ...world, token: world.weakToken }));
      }
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

    test('every operation of a store was exercised', () => {
      const requested = world
        .exchanges()
        .map(({ method, path: at, status }) => `${method} ${at.replace(/\/\d+(?=\/|$)/, '/id')} ${status}`);
      expect([...new Set(requested)].sort()).toEqual([
        'GET /rest/V1/creditmemo/id 200',
        'GET /rest/V1/creditmemos 200',
        'GET /rest/V1/invoices 200',
        'GET /rest/V1/orders 200',
        'GET /rest/V1/orders/id 200',
        'GET /rest/V1/orders/nothing 400',
        'GET /rest/V1/shipments 200',
        'GET /rest/V1/store/storeConfigs 200',
        'POST /rest/V1/invoice/id/refund 200',
        'POST /rest/V1/invoice/id/refund 400',
        'POST /rest/V1/order/id/refund 200',
      ]);
    });

    test('the validator rejects an undocumented request', () => {
      const refund = { method: 'POST', path: '/rest/V1/invoice/1/refund', status: 200, answered: 7 };
      expect(judge({ ...refund, sent: { items: [{ order_item_id: 1, qty: 0 }], isOnline: true } })).toEqual(
        [],
      );
      expect(judge({ ...refund, sent: { items: [{ order_item_id: 1 }] } })).toHaveLength(1);
      expect(judge({ ...refund, sent: { arguments: { adjustment: 1 } } })).toHaveLength(1);
      expect(judge({ ...refund, answered: 'seven' })).toHaveLength(1);
      expect(judge({ ...refund, path: '/rest/V1/nothing' })).toHaveLength(1);
      const list = { method: 'GET', path: '/rest/V1/orders', status: 500, answered: { message: 'No' } };
      expect(judge({ ...list, query: new URLSearchParams('searchCriteria[pageSize]=1') })).toEqual([]);
      expect(judge({ ...list, query: new URLSearchParams('searchCriteria[size]=1') })).toHaveLength(1);
    });
  });
}
