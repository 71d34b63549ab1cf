import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OrderSort } from '@switchboard/domain/ports';
import { listCalls, buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { loadFixtures } from '@switchboard/platform-kit/testing/fixture-replay';
import woocommerce from './index.js';
import { startWorld } from './testing/world.js';
import { order, refund } from './wire.js';

const directory = process.env['SWITCHBOARD_DESCRIPTIONS_DIR'];

/** The names in the first column of the tables below a heading, up to the next of its level. */
function namesBelow(markdown: string, heading: string): ReadonlySet<string> {
  const rank = /^#+/.exec(heading)?.[0].length ?? 0;
  const rest = markdown.slice(markdown.indexOf(`\n${heading}`) + heading.length + 1);
  if (!markdown.includes(`\n${heading}`)) throw new Error(`there is no ${heading}`);
  const end = rest.search(new RegExp(`\n#{1,${rank}} `));
  const section = end < 0 ? rest : rest.slice(0, end);
  return new Set([...section.matchAll(/^\| `([\w]+)`/gm)].map(([, name = '']) => name));
}

/** What was added since the documentation was last written (2024-03-15), with its source (NOTES.md). */
const NEWER = {
  // Every WordPress REST collection accepts it.
  parameters: ['_fields'],
  paths: ['/refunds', '/payment_gateways'],
  refund: ['shipping_lines'],
  // Of whole bodies, which the adapter does not read.
  order: ['payment_url', 'is_editable', 'needs_payment', 'needs_processing', 'currency_symbol'],
  orderRefund: ['parent_id', 'tax_lines', 'fee_lines'],
};

if (directory === undefined) {
  test.skip('NOT CHECKED against the published description: SWITCHBOARD_DESCRIPTIONS_DIR is not set', () => {});
} else {
  describe('against the published description', () => {
    const read = (file: string) =>
      readFileSync(
        path.join(directory, 'woocommerce-rest-docs/source/includes/wp-api-v3', `_${file}.md`),
        'utf8',
      );
    const [orders, refunds, webhooks] = [read('orders'), read('order-refunds'), read('webhooks')];
    let world: Awaited<ReturnType<typeof startWorld>>;
    beforeAll(async () => {
      world = await startWorld();
      const session = testSession(world);
      for (const sort of ['-created_at', 'created_at', '-updated_at', 'updated_at'] satisfies OrderSort[]) {
        const bounds = { createdAfter: new Date(0), createdBefore: new Date('2027-01-01') };
        const updated = { updatedAfter: new Date(0), updatedBefore: new Date('2027-01-01') };
        const query = { sort, ...bounds, ...updated, statuses: ['completed'] as const };
        const listed = await woocommerce.orders?.list(session, query, { limit: 2 });
        if (listed?.ok && listed.value.next !== undefined)
          await woocommerce.orders?.list(session, query, { limit: 2, token: listed.value.next });
      }
      const all = await woocommerce.orders?.list(session, { sort: 'created_at' }, { limit: 100 });
      const paid = all?.ok ? all.value.orders.find(({ paymentStatus }) => paymentStatus === 'paid') : null;
      const lines = (paid?.lines ?? []).map(({ id }) => ({
        id,
        quantity: 1,
        restock: true,
        locationId: null,
      }));
      const requested = { kind: 'lines', lines, shippingMinor: 10, reason: 'Cracked', note: 'Kept' } as const;
      const [payment] = paid?.payments ?? [];
      const created = await woocommerce.refunds?.refund(
        session,
        buildInstruction(paid?.externalId ?? '', payment?.id ?? '', 'EUR', 5_000, requested),
      );
      if (!created?.ok) throw new Error('it was not refunded');
      for (const call of listCalls(woocommerce)) await call.run(session);
      const externalIds = world.store.webhooks.list().map(({ id }) => id);
      await woocommerce.orders?.webhooks?.remove(session, {
        url: 'https://switchboard.example',
        externalIds,
      });
    });
    afterAll(() => world.close());

    const requests = () =>
      world
        .exchanges()
        .map(({ request }) => ({ ...request, place: request.path.replace('/wp-json/wc/v3', '') }))
        .filter(({ place }) => place !== '/wp-json/' && !NEWER.paths.includes(place));

    test('every request uses a documented route, with documented parameters', () => {
      const list = namesBelow(orders, '## List all orders');
      const one = namesBelow(orders, '## Retrieve an order');
      const ofRefunds = namesBelow(refunds, '## List all refunds');
      const ofWebhooks = namesBelow(webhooks, '## List all webhooks');
      const ofDeletion = namesBelow(webhooks, '## Delete a webhook');
      const undescribed = requests().flatMap(({ method, place, query }) => {
        const known =
          place === '/orders'
            ? list
            : /^\/orders\/\w+$/.test(place)
              ? one
              : /^\/orders\/\w+\/refunds$/.test(place)
                ? ofRefunds
                : place === '/webhooks'
                  ? ofWebhooks
                  : method === 'DELETE'
                    ? ofDeletion
                    : new Set<string>();
        const names = [...query.keys()].filter(
          (name) => !known.has(name) && !NEWER.parameters.includes(name),
        );
        return names.map((name) => `${method} ${place} ${name}`);
      });
      expect(undescribed).toEqual([]);
      expect(
        new Set(requests().map(({ method, place }) => `${method} ${place.replace(/\d+/, 'id')}`)),
      ).toEqual(
        new Set([
          'GET /orders',
          'GET /orders/id',
          'GET /orders/nothing',
          'GET /orders/id/refunds',
          'GET /orders/nothing/refunds',
          'POST /orders/id/refunds',
          'POST /orders/nothing/refunds',
          'GET /webhooks',
          'POST /webhooks',
          'DELETE /webhooks/id',
        ]),
      );
    });

    test('a refund is sent in its documented fields', () => {
      const properties = namesBelow(refunds, '## Order refund properties');
      const bodies = requests()
        .filter(({ method, place }) => method === 'POST' && place.endsWith('/refunds'))
        .map(({ body }) => body as Record<string, unknown>);
      for (const body of bodies) {
        expect(Object.keys(body).filter((name) => !properties.has(name))).toEqual([]);
        for (const item of body['line_items'] as Record<string, unknown>[]) {
          // `refund_tax` is in its examples.
          const known = [...namesBelow(refunds, '### Order refund - Line items properties'), 'refund_tax'];
          expect(Object.keys(item).filter((name) => !known.includes(name))).toEqual([]);
          for (const tax of item['refund_tax'] as Record<string, unknown>[])
            expect(Object.keys(tax).sort()).toEqual(['id', 'refund_total']);
        }
        expect(typeof body['amount']).toBe('string');
      }
      expect(bodies.some((body) => (body['line_items'] as unknown[]).length > 0)).toBe(true);
    });

    test('a webhook is sent and returned in its documented fields', () => {
      const properties = namesBelow(webhooks, '## Webhook properties');
      const ofWebhooks = world.exchanges().filter(({ request }) => request.path.includes('/webhooks'));
      const sent = ofWebhooks.flatMap(({ request }) => (request.method === 'POST' ? [request.body] : []));
      const returned = ofWebhooks.flatMap(({ answer }) => answer.json as object);
      expect([sent.length, returned.length]).toEqual([2, 6]);
      for (const body of [...sent, ...returned])
        expect(Object.keys(body as object).filter((name) => !properties.has(name))).toEqual([]);
    });

    test('the recorded orders and refunds have documented fields', () => {
      const written = [...loadFixtures(import.meta.dirname).values()].flat();
      const ofOrder = [...namesBelow(orders, '## Order properties'), ...NEWER.order, '_links'];
      const ofRefund = [
        ...namesBelow(refunds, '## Order refund properties'),
        ...[...NEWER.refund, ...NEWER.orderRefund, '_links'],
      ];
      const bodies = written.flatMap(({ path: at, status, answered }) =>
        status >= 400 || at.endsWith('/payment_gateways') ? [] : [{ at, bodies: [answered].flat() }],
      );
      expect(bodies.length).toBeGreaterThan(2);
      for (const { at, bodies: some } of bodies) {
        const known = at.endsWith('/refunds') ? ofRefund : ofOrder;
        for (const body of some) {
          expect(Object.keys(body as object).filter((name) => !known.includes(name))).toEqual([]);
        }
      }
    });

    test('no undocumented field of an order or a refund is read', () => {
      const properties = namesBelow(orders, '## Order properties');
      expect(Object.keys(order.shape).filter((name) => !properties.has(name))).toEqual([]);
      const ofRefund = namesBelow(refunds, '## Order refund properties');
      const unknown = Object.keys(refund.shape).filter((name) => !ofRefund.has(name));
      expect(unknown).toEqual(NEWER.refund);
    });
  });
}
