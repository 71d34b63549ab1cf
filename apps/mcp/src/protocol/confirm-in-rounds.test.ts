import { expect, test } from '@jest/globals';
import { failure, refuse, type Result } from '@switchboard/domain';
import { catalog, createErrorResponse, type Operation } from '@switchboard/operations';
import type { ConfirmationStates } from './confirmation-state.js';
import { confirmInRounds } from './confirm-in-rounds.js';
import type { ConfirmationRound } from './mcp-handlers.js';

/** What a refund over real processes does is in packages/acceptance/src/refund-confirmation.test.ts. */
const operationNamed = (name: string) => catalog.find((one) => one.name === name) as Operation;
const refundOrder = operationNamed('refundOrder');
const details = {
  orderId: 'ord_1',
  orderNumber: '1042',
  amount: { amount: '5.00', currency: 'EUR' },
  expiresAt: new Date('2026-11-22T09:00:00Z'),
  items: [],
  consequences: [],
};
const unconfirmed = createErrorResponse(failure('refund.not_confirmed', 'x', { details }), 'req_1');
const done = createErrorResponse(failure('refund.in_progress', 'returned as the outcome'), 'req_2');
const states: Result<ConfirmationStates> = {
  ok: true,
  value: { seal: () => 'sealed', isValid: (state) => state === 'sealed' },
};

async function confirm(
  round: Partial<ConfirmationRound>,
  operation = refundOrder,
  opened: Result<ConfirmationStates> = states,
) {
  const sent: unknown[] = [];
  const got = await confirmInRounds(operation, {
    requestId: 'req_1',
    round: { canAsk: true, decision: null, ...round },
    openStates: () => Promise.resolve(opened),
    send(isConfirmed) {
      sent.push(isConfirmed);
      return Promise.resolve(isConfirmed === false && operation.confirm ? unconfirmed : done);
    },
  });
  return { sent, got };
}

test('the first request asks, and only a valid state with a consent is sent as confirmed', async () => {
  const asked = { question: { message: expect.any(String), label: 'Yes, refund 5.00 EUR' }, state: 'sealed' };
  expect(await confirm({})).toEqual({ sent: [false], got: asked });
  expect(await confirm({ decision: 'accepted' })).toEqual({ sent: [false], got: asked });
  expect(await confirm({ state: 'sealed' })).toEqual({ sent: [false], got: asked });
  expect(await confirm({ state: 'sealed', decision: 'accepted' })).toEqual({ sent: [true], got: done });
  await expect(confirm({ state: 'forged', decision: 'accepted' })).rejects.toMatchObject({
    kind: 'invalid_params',
  });
});

test('a client that cannot ask is sent as such, unless it refuses or was asked before', async () => {
  expect(await confirm({ canAsk: false })).toEqual({ sent: [undefined], got: done });
  for (const round of [{ decision: 'declined' }, { state: 'sealed' }] as const) {
    const { sent, got } = await confirm({ canAsk: false, ...round });
    expect([sent, got]).toEqual([[false], expect.objectContaining({ status: 409 })]);
  }
});

test('an operation that needs no confirmation has no state', async () => {
  const getMe = operationNamed('getMe');
  expect(await confirm({ decision: 'declined' }, getMe)).toEqual({ sent: [undefined], got: done });
  await expect(confirm({ state: 'sealed' }, getMe)).rejects.toMatchObject({ kind: 'invalid_params' });
});

test('while the vault is unavailable nothing is sent as confirmed', async () => {
  const locked = refuse('vault.unavailable', 'The key service does not respond.');
  const unavailable = { failure: expect.objectContaining({ code: 'vault.unavailable' }) };
  const first = await confirm({}, refundOrder, locked);
  expect([first.sent, first.got]).toEqual([[false], expect.objectContaining(unavailable)]);
  const second = await confirm({ state: 'sealed', decision: 'accepted' }, refundOrder, locked);
  expect([second.sent, second.got]).toEqual([[], expect.objectContaining(unavailable)]);
});
