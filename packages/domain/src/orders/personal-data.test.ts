import { expect, test } from '@jest/globals';
import { remoteOrder } from '../../testing/stores/order-builder.js';
import { withoutPersonalData } from './personal-data.js';

test('no name, e-mail or part of an address is left', () => {
  const text = JSON.stringify(withoutPersonalData(remoteOrder()));
  for (const personal of ['Ana', 'Ruiz', 'example.com', 'Calle', 'Madrid', '28013'])
    expect(text).not.toContain(personal);
});

test('what was absent stays absent, and the rest stays as it was', () => {
  const order = remoteOrder({
    customer: { id: null, name: null, email: null },
    shippingAddress: null,
    emails: [],
  });
  expect(withoutPersonalData(order)).toEqual(order);
  expect(withoutPersonalData(remoteOrder()).totals).toEqual(order.totals);
  expect(withoutPersonalData(remoteOrder()).shippingAddress?.country).toBe('ES');
});
