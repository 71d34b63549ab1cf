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

describe('the laws are kept by', () => {
  test.each<[string, Invocation, SettledPost[], PlatformEffect[]]>([
    ['what was published once', invocation, [published], [effect]],
    ['what needs a review where nothing can be read, and stands there', unreadable, [review], [effect]],
    ['what needs a review where nothing can be read, and does not', unreadable, [review], []],
    ['a review that was resolved as published', unreadable, [resolvedAs('published', 'published')], [effect]],
    ['a review that was resolved as not published', unreadable, [resolvedAs('not_published', 'failed')], []],
    ['what was refused and is nowhere', { ...invocation, outcome: 'fail' }, [], []],
    ['what nobody answered and is nowhere', { ...invocation, outcome: 'info' }, [], []],
  ])('%s', (_what, invocation, posts, effects) => {
    expect(checkInvariants([invocation], posts, effects)).toEqual({
      duplicates: 0,
      lost: 0,
      unsettled: 0,
      broken: [],
    });
  });
});

describe('a law is broken by', () => {
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
    ['an effect without an invocation', [], [], [effect], {}],
    ['a post that is gone', [invocation], [], [], { lost: 1 }],
    ['an effect without a post', [{ ...invocation, outcome: 'info' }], [], [effect], { lost: 1 }],
    ['published without an effect', [invocation], [published], [], { lost: 1 }],
    [
      'another id than the effect’s',
      [invocation],
      [{ ...published, externalId: 'p9' }],
      [effect],
      { lost: 1 },
    ],
    ['one that was given up', [invocation], [{ ...published, status: 'failed' }], [], { lost: 1 }],
    ['a review of what can be read', [invocation], [review], [effect], {}],
    ['one that never ends', [invocation], [{ ...published, status: 'sending' }], [effect], { unsettled: 1 }],
    ['one sent after it was resolved', [unreadable], [resolvedAs('not_published', 'failed')], [effect], {}],
    ['one resolved as published that is not', [unreadable], [resolvedAs('published', 'published')], [], {}],
    ['a refused one that is there', [{ ...invocation, outcome: 'fail' }], [published], [effect], {}],
    [
      'an effect without an attempt',
      [invocation],
      [{ ...published, history: ['read_back published'] }],
      [effect],
      {},
    ],
    [
      'two endings',
      [invocation],
      [{ ...published, history: [...published.history, 'attempt published'] }],
      [effect],
      {},
    ],
    [
      'an event that is told twice',
      [invocation],
      [{ ...published, events: ['post.published', 'post.published'] }],
      [effect],
      {},
    ],
    ['an event that is never told', [invocation], [{ ...published, events: [] }], [effect], {}],
  ])('%s', (_what, invocations, posts, effects, counts) => {
    const verdict = checkInvariants(invocations, posts, effects);
    expect(verdict).toMatchObject(counts);
    expect(verdict.broken).not.toEqual([]);
  });
});
