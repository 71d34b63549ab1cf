import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RefundInstruction } from '@switchboard/domain/ports';
import { buildInstruction } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { refunding } from './refunding.js';

/** A store that records its requests and refuses the payments that a test names. */
let server: Server;
let sent: Record<string, unknown>[];
let refuses: Set<unknown>;

beforeEach(async () => {
  sent = [];
  refuses = new Set();
  server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const json = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.method === 'GET') return json(200, { data: sent.map(stored) });
      if (refuses.has(body['payment_id'])) {
        return json(422, { error: { code: 'payment_not_captured', message: 'Not captured.' } });
      }
      sent.push(body);
      return json(201, stored(body, sent.length - 1));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterEach(() => new Promise((closed) => server.close(closed)));

const bodyOf = async (request: IncomingMessage) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
};
const stored = (body: Record<string, unknown>, at: number) => ({
  id: `re_${at}`,
  payment_id: body['payment_id'],
  amount: body['amount'],
  currency: body['currency'],
  status: 'succeeded',
  money_moved: body['offline'] !== true,
  reason: body['reason'] ?? null,
  reference: body['reference'],
  created_at: '2026-11-21T12:00:00.000Z',
});

const open = () =>
  testSession({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account: { id: 'alder-oak', username: null, name: null, avatarUrl: null, url: null },
    token: 'token',
  });
const requested = (more: Partial<RefundInstruction> = {}) =>
  buildInstruction('so_1', 'pay_1', 'EUR', 500, more);
const payment = (id: string, amountMinor: number, moneyMoved = true) => ({ id, amountMinor, moneyMoved });

test('only given fields are sent', async () => {
  const instruction = requested();
  await refunding.refund(open(), instruction);
  expect(sent).toEqual([
    {
      payment_id: 'pay_1',
      amount: 500,
      currency: 'EUR',
      reference: instruction.reference,
      offline: false,
      restock: false,
    },
  ]);
});

test('lines, shipping, restocking, reason, note and the customer notification are sent', async () => {
  await refunding.refund(
    open(),
    requested({
      lines: [{ id: 'li_1', quantity: 2, restock: true, locationId: null }],
      shippingMinor: 490,
      reason: 'Broken',
      note: 'By phone',
      notifyCustomer: false,
    }),
  );
  expect(sent[0]).toMatchObject({
    line_items: [{ id: 'li_1', quantity: 2 }],
    shipping: 490,
    restock: true,
    reason: 'Broken',
    note: 'By phone',
    notify: false,
  });
});

test('a payment made outside of the store is refunded offline', async () => {
  const refund = await refunding.refund(open(), requested({ payments: [payment('pay_1', 500, false)] }));
  expect(sent[0]).toMatchObject({ offline: true });
  expect(refund).toMatchObject({ ok: true, value: { moneyMoved: false } });
});

describe('a refund of two payments', () => {
  const two = () =>
    requested({
      payments: [payment('pay_1', 300), payment('pay_2', 200)],
      lines: [{ id: 'li_1', quantity: 1, restock: true, locationId: null }],
      shippingMinor: 100,
    });

  test('is one refund of ours, and describes its purpose to the store once', async () => {
    const instruction = two();
    const refund = await refunding.refund(open(), instruction);
    expect(refund).toMatchObject({ ok: true, value: { amount: { amountMinor: 500, currency: 'EUR' } } });
    expect(
      sent.map((body) => [body['amount'], 'line_items' in body, 'shipping' in body, body['restock']]),
    ).toEqual([
      [300, true, true, true],
      [200, false, false, undefined],
    ]);
    expect(await refunding.find?.(open(), instruction)).toEqual(refund);
  });

  test('whose first payment is refused is refused, with the store’s message', async () => {
    refuses.add('pay_1');
    const refused = await refunding.refund(open(), two());
    expect(refused).toMatchObject({
      failure: {
        code: 'refund.refused',
        platform: { code: 'payment_not_captured', message: 'Not captured.' },
      },
    });
    expect(sent).toEqual([]);
  });

  test('whose second payment is refused is unknown, and remains so in a lookup', async () => {
    refuses.add('pay_2');
    const instruction = two();
    expect(await refunding.refund(open(), instruction)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
    expect(await refunding.find?.(open(), instruction)).toMatchObject({
      failure: { code: 'platform.outcome_unknown' },
    });
  });
});
