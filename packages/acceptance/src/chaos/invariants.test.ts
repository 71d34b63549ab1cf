import { describe, expect, test } from '@jest/globals';
import { checkInvariants, type PlatformEffect, type Invocation, type SettledPost } from './invariants.js';

const invocation: Invocation = { name: 'a', outcome: 'ok', readBack: 'reference' };
const effect: PlatformEffect = { externalId: 'p1', name: 'a' };
const published: SettledPost = {
  name: 'a',
  deliveryId: 'dlv_a',
  status: 'published',
  externalId: 'p1',
  history: ['attempt begun', 'attempt unknown', 'read_back published'],
  events: ['post.delivery_published', 'post.published'],
};
const review: SettledPost = {
  name: 'a',
  deliveryId: 'dlv_a',
  status: 'needs_review',
  externalId: null,
  history: ['attempt begun', 'attempt needs_review'],
  events: ['post.delivery_failed', 'post.needs_review'],
};
const resolvedAs = (decision: string, status: string): SettledPost => ({
  ...review,
  status,
  history: [...review.history, `decision ${decision}`],
  events: [...review.events, `post.${status}`],
});
const unreadable: Invocation = { ...invocation, readBack: 'none' };

describe('the invariants hold for', () => {
  test.each<[string, Invocation, SettledPost[], PlatformEffect[]]>([
    ['a post that was published once', invocation, [published], [effect]],
    ['a post that needs a review, cannot be read back, and exists', unreadable, [review], [effect]],
    ['a post that needs a review, cannot be read back, and does not exist', unreadable, [review], []],
    ['a review resolved as published', unreadable, [resolvedAs('published', 'published')], [effect]],
    ['a review resolved as not published', unreadable, [resolvedAs('not_published', 'failed')], []],
    ['a request that was rejected and has no effect', { ...invocation, outcome: 'fail' }, [], []],
    ['a request without a response and without an effect', { ...invocation, outcome: 'info' }, [], []],
  ])('%s', (_what, invocation, posts, effects) => {
    expect(checkInvariants([invocation], posts, effects)).toEqual({
      duplicates: 0,
      lost: 0,
      unsettled: 0,
      broken: [],
    });
  });
});

describe('an invariant is violated by', () => {
  test.each<
    [string, Invocation[], SettledPost[], PlatformEffect[], Partial<ReturnType<typeof checkInvariants>>]
  >([
    [
      'a second effect',
      [invocation],
      [published],
      [effect, { ...effect, externalId: 'p2' }],
      { duplicates: 1 },
    ],
    ['a second post', [invocation], [published, published], [effect], {}],
    ['an effect without a request', [], [], [effect], {}],
    ['a post that is missing', [invocation], [], [], { lost: 1 }],
    ['an effect without a post', [{ ...invocation, outcome: 'info' }], [], [effect], { lost: 1 }],
    ['published without an effect', [invocation], [published], [], { lost: 1 }],
    [
      'an ID different from the effect’s',
      [invocation],
      [{ ...published, externalId: 'p9' }],
      [effect],
      { lost: 1 },
    ],
    ['a post that was given up', [invocation], [{ ...published, status: 'failed' }], [], { lost: 1 }],
    ['a review of a post that can be read back', [invocation], [review], [effect], {}],
    [
      'a post that never settles',
      [invocation],
      [{ ...published, status: 'sending' }],
      [effect],
      { unsettled: 1 },
    ],
    ['a post sent after its resolution', [unreadable], [resolvedAs('not_published', 'failed')], [effect], {}],
    [
      'a post resolved as published that does not exist',
      [unreadable],
      [resolvedAs('published', 'published')],
      [],
      {},
    ],
    ['a rejected post that exists', [{ ...invocation, outcome: 'fail' }], [published], [effect], {}],
    [
      'an effect without an attempt',
      [invocation],
      [{ ...published, history: ['read_back published'] }],
      [effect],
      {},
    ],
    [
      'two final attempts',
      [invocation],
      [{ ...published, history: [...published.history, 'attempt published'] }],
      [effect],
      {},
    ],
    [
      'an event that is emitted twice',
      [invocation],
      [{ ...published, events: ['post.published', 'post.published'] }],
      [effect],
      {},
    ],
    ['an event that is never emitted', [invocation], [{ ...published, events: [] }], [effect], {}],
  ])('%s', (_what, invocations, posts, effects, counts) => {
    const verdict = checkInvariants(invocations, posts, effects);
    expect(verdict).toMatchObject(counts);
    expect(verdict.broken).not.toEqual([]);
  });
});
