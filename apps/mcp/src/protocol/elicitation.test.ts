import { expect, test } from '@jest/globals';
import { failure } from '@switchboard/domain';
import { catalog, createErrorResponse, type OperationResponse } from '@switchboard/operations';
import { confirmCall } from './elicitation.js';

const refund = {
  orderId: 'ord_1',
  orderNumber: '1042',
  amount: { amount: '5.00', currency: 'EUR' },
  expiresAt: new Date('2026-11-22T09:00:00Z'),
  items: ['1 × “Stoneware mug”: 5.00 EUR.'],
  consequences: ['This cannot be undone.'],
};
const operation = catalog.find(({ name }) => name === 'refundOrder');
if (!operation?.confirm) throw new Error('refundOrder has no confirmation');
const { confirm } = operation;
const unconfirmed = createErrorResponse(failure('refund.not_confirmed', 'x', { details: refund }), 'req_1');
const done = createErrorResponse(failure('refund.in_progress', 'returned as the outcome'), 'req_2');
type Decision = 'accepted' | 'declined' | 'cancelled';

async function after(decision: () => Promise<Decision>, response: OperationResponse = unconfirmed) {
  let sent = 0;
  const proceed = async () => (sent++, done);
  const got = await confirmCall({ confirm }, response, { elicit: decision, requestId: 'req_1' }, proceed);
  return { sent, got };
}

test('only an approval continues, and once', async () => {
  expect(await after(async () => 'accepted')).toEqual({ sent: 1, got: done });
});

test.each<[string, () => Promise<Decision>, RegExp]>([
  ['a decline', async () => 'declined', /declined\. Nothing was refunded/],
  [
    'a dismissed prompt',
    async () => 'cancelled',
    /did not respond.*stays valid until 2026-11-22T09:00:00\.000Z/,
  ],
  [
    'a client that fails or times out',
    () => Promise.reject(new Error('-32001')),
    /could not be asked or did not respond/,
  ],
])('%s moves nothing and says so', async (_what, decision, reported) => {
  const { sent, got } = await after(decision);
  expect(sent).toBe(0);
  expect(got.value).toMatchObject({ code: 'refund.not_confirmed', effect: 'none', retryable: false });
  expect(got.value['detail']).toMatch(reported);
});

test('other failures cause no prompt', async () => {
  const never = () => Promise.reject(new Error('asked'));
  expect(await after(never, done)).toEqual({ sent: 0, got: done });
});

test('the prompt names the amount, the order, the items and the consequences', () => {
  expect(confirm.question(refund).message).toMatch(
    /^Refund 5\.00 EUR of order 1042\?\n1 × “Stoneware mug”: 5\.00 EUR\.\nThis cannot be undone\.\n/,
  );
  expect(confirm.question({ ...refund, orderNumber: null }).message).toMatch(
    /^Refund 5\.00 EUR of order ord_1\?/,
  );
});
