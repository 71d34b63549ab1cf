import { expect, test } from '@jest/globals';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { redactRefundForCaller, withoutPersonalData } from './personal-data.js';

test('no name, e-mail or part of an address remains', () => {
  const text = JSON.stringify(withoutPersonalData(remoteOrder()));
  for (const personal of ['Ana', 'Ruiz', 'example.com', 'Calle', 'Madrid', '28013'])
    expect(text).not.toContain(personal);
});

test('no note, payment method, store reason or e-mail used as an id remains', () => {
  const order = remoteOrder();
  const [payment] = order.payments;
  if (!payment) throw new Error('the order was not paid');
  const text = JSON.stringify(
    withoutPersonalData({
      ...order,
      customer: { ...order.customer, id: 'ana@shop.test' },
      note: 'Ring at Ana',
      payments: [{ ...payment, method: 'PayPal ana@pay.test' }],
      refunds: [
        {
          externalId: 'r1',
          status: 'succeeded',
          amount: payment.captured,
          reference: null,
          reason: 'Ana called',
          paymentId: payment.id,
          moneyMoved: true,
          createdAt: order.createdAt,
        },
      ],
    }),
  );
  for (const personal of ['Ana', 'ana@', 'PayPal']) expect(text).not.toContain(personal);
  expect(text).toContain(payment.gateway);
});

test('the store’s text of a refund is masked, and the text sent through a key is not', async () => {
  const it = await createTestEnvironment();
  const hiding = it.call({}, { hidePersonalData: true });
  const refund = { ...it.build.refund(it.build.connection(it.profile)), reason: 'Ana called', note: 'Ana' };
  expect(redactRefundForCaller(hiding, { ...refund, source: 'store' })).toMatchObject({
    reason: '***',
    note: '***',
  });
  expect(redactRefundForCaller(hiding, { ...refund, source: 'switchboard' })).toMatchObject({
    reason: 'Ana called',
  });
  expect(redactRefundForCaller(it.operator(), { ...refund, source: 'store' })).toMatchObject({ note: 'Ana' });
});

test('absent values stay absent, and other values stay unchanged', () => {
  const order = remoteOrder({
    customer: { id: null, name: null, email: null },
    shippingAddress: null,
    emails: [],
    note: null,
    payments: [],
  });
  expect(withoutPersonalData(order)).toEqual(order);
  expect(withoutPersonalData(remoteOrder()).totals).toEqual(order.totals);
  expect(withoutPersonalData(remoteOrder()).shippingAddress?.country).toBe('ES');
});
