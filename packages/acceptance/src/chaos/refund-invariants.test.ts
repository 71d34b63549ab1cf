import { describe, expect, test } from '@jest/globals';
import {
  checkCeilings,
  checkRefundInvariants,
  type RefundEffect,
  type RecordedRefund,
  type FinalOrder,
  type RefundResponse,
} from './refund-invariants.js';

const response: RefundResponse = {
  order: 'so',
  key: 'k',
  quoteId: null,
  status: 201,
  code: null,
  refundId: 'rfd',
  refundStatus: 'succeeded',
  amountMinor: 10,
  requestedMinor: 10,
};
const refund: RecordedRefund = {
  id: 'rfd',
  order: 'so',
  status: 'succeeded',
  externalId: 're',
  amountMinor: 10,
  key: 'k',
  quoteId: null,
  createdBy: 'key_child',
  currency: 'EUR',
  day: '2026-03-01',
  events: ['refund.created', 'refund.succeeded'],
};
const effect: RefundEffect = { id: 're', order: 'so', reference: 'rfd', amountMinor: 10 };
const order: FinalOrder = {
  order: 'so',
  capturedMinor: 15,
  shownRefundedMinor: 10,
  ledger: { refundedMinor: 10, reservedMinor: 0, inFlight: false },
};
const again = {
  refund: { ...refund, id: 'rfd2', externalId: 're2' },
  effect: { ...effect, id: 're2', reference: 'rfd2' },
};
const failed: RecordedRefund = {
  ...refund,
  status: 'failed',
  externalId: null,
  events: ['refund.created', 'refund.failed'],
};
const refused: RefundResponse = {
  ...response,
  status: 503,
  code: 'platform.unavailable',
  refundStatus: null,
  amountMinor: null,
};
const unrefundedOrder = { ...order, shownRefundedMinor: 0, ledger: null };

describe('the refund invariants hold for', () => {
  test.each<[string, RefundResponse[], RecordedRefund[], RefundEffect[], FinalOrder]>([
    ['a refund that was made and confirmed', [response], [refund], [effect], order],
    [
      'a refund whose response was lost',
      [{ ...response, status: 0, refundId: null }],
      [refund],
      [effect],
      order,
    ],
    ['a refund that was rejected and not made', [refused], [failed], [], unrefundedOrder],
    [
      'a request that is blocked by another refund',
      [{ ...refused, status: 409, code: 'refund.in_progress' }],
      [],
      [],
      unrefundedOrder,
    ],
  ])('%s', (_what, answers, refunds, effects, end) => {
    expect(checkRefundInvariants(answers, refunds, effects, [end])).toEqual([]);
  });
});

describe('a refund invariant is violated by', () => {
  test.each<[string, RegExp, RefundResponse[], RecordedRefund[], RefundEffect[], FinalOrder]>([
    [
      'refunds above the captured amount',
      /20 of 15/,
      [response],
      [refund, again.refund],
      [effect, again.effect],
      { ...order, shownRefundedMinor: 20, ledger: { refundedMinor: 20, reservedMinor: 0, inFlight: false } },
    ],
    ['one refund made twice', /made twice/, [response], [refund], [effect, { ...effect, id: 're2' }], order],
    [
      'two refunds for one key',
      /the key k moved money 2 times/,
      [response],
      [refund, again.refund],
      [effect, again.effect],
      order,
    ],
    ['money without a refund record', /the store’s are re 10/, [], [], [effect], order],
    ['a success without an effect', /our refunds are re 10/, [response], [refund], [], unrefundedOrder],
    [
      'an amount different from the requested one',
      /requested 11/,
      [{ ...response, requestedMinor: 11 }],
      [refund],
      [effect],
      order,
    ],
    [
      'a success that later changed',
      /returned as succeeded and is failed/,
      [response],
      [failed],
      [],
      unrefundedOrder,
    ],
    ['a rejection that moved money', /received platform.unavailable/, [refused], [refund], [effect], order],
    [
      'an unexpected response',
      /received the response 500/,
      [{ ...refused, status: 500, code: 'internal.error' }],
      [],
      [],
      unrefundedOrder,
    ],
    [
      'an unresolved outcome',
      /is still unknown/,
      [],
      [{ ...failed, status: 'unknown' }],
      [],
      unrefundedOrder,
    ],
    [
      'a reservation that is not released',
      /still reserved/,
      [response],
      [refund],
      [effect],
      { ...order, ledger: { refundedMinor: 10, reservedMinor: 5, inFlight: true } },
    ],
    [
      'a ledger below the store’s',
      /our ledger has 0/,
      [response],
      [refund],
      [effect],
      { ...order, ledger: null },
    ],
    [
      'a final event emitted twice',
      /has 2 events/,
      [response],
      [{ ...refund, events: [...refund.events, 'refund.succeeded'] }],
      [effect],
      order,
    ],
  ])('%s', (_what, law, answers, refunds, effects, end) => {
    expect(checkRefundInvariants(answers, refunds, effects, [end]).join('\n')).toMatch(law);
  });
});

describe('the ceiling of a key', () => {
  const createCoverage = (...lineages: string[]) => new Set(lineages);
  const tree = {
    coveredBy: new Map([
      ['key_root', createCoverage('key_root')],
      ['key_child', createCoverage('key_child', 'key_root')],
      ['key_other', createCoverage('key_other', 'key_root')],
    ]),
    ceilingsOf: new Map([
      ['key_root', new Map([['EUR', 15]])],
      ['key_child', new Map([['EUR', 10]])],
      ['key_other', new Map([['EUR', 10]])],
    ]),
  };
  const sibling = { ...again.refund, createdBy: 'key_other' };

  test('includes the refunds of its descendants on one day', () => {
    expect(checkCeilings([refund, sibling], [effect, again.effect], tree)).toEqual({
      broken: ['key_root EUR 2026-03-01: refunded 20 under a ceiling of 15'],
      movedMinor: {
        'key_child EUR 2026-03-01': 10,
        'key_root EUR 2026-03-01': 20,
        'key_other EUR 2026-03-01': 10,
      },
    });
  });

  test('excludes refunds of another day or without an effect', () => {
    const nextDay = { ...sibling, day: '2026-03-02' };
    expect(checkCeilings([refund, nextDay], [effect, again.effect], tree).broken).toEqual([]);
    expect(checkCeilings([refund, sibling], [effect], tree).broken).toEqual([]);
  });
});
