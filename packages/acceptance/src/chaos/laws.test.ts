import { describe, expect, test } from '@jest/globals';
import { judge, type Found, type Invocation, type Settled } from './laws.js';

const asked: Invocation = { name: 'a', outcome: 'ok', readBack: 'reference' };
const effect: Found = { externalId: 'p1', name: 'a' };
const published: Settled = {
  name: 'a',
  deliveryId: 'dlv_a',
  status: 'published',
  externalId: 'p1',
  history: ['attempt begun', 'attempt unknown', 'read_back published'],
  events: ['post.delivery_published', 'post.published'],
};
const review: Settled = {
  name: 'a',
  deliveryId: 'dlv_a',
  status: 'needs_review',
  externalId: null,
  history: ['attempt begun', 'attempt needs_review'],
  events: ['post.delivery_failed', 'post.needs_review'],
};
const resolvedAs = (decision: string, status: string): Settled => ({
  ...review,
  status,
  history: [...review.history, `decision ${decision}`],
  events: [...review.events, `post.${status}`],
});
const silent: Invocation = { ...asked, readBack: 'none' };

describe('the laws are kept by', () => {
  test.each<[string, Invocation, Settled[], Found[]]>([
    ['what was published once', asked, [published], [effect]],
    ['what needs a review where nothing can be read, and stands there', silent, [review], [effect]],
    ['what needs a review where nothing can be read, and does not', silent, [review], []],
    ['a review that was resolved as published', silent, [resolvedAs('published', 'published')], [effect]],
    ['a review that was resolved as not published', silent, [resolvedAs('not_published', 'failed')], []],
    ['what was refused and is nowhere', { ...asked, outcome: 'fail' }, [], []],
    ['what nobody answered and is nowhere', { ...asked, outcome: 'info' }, [], []],
  ])('%s', (_what, invocation, posts, effects) => {
    expect(judge([invocation], posts, effects)).toEqual({ duplicates: 0, lost: 0, unsettled: 0, broken: [] });
  });
});

describe('a law is broken by', () => {
  test.each<[string, Invocation[], Settled[], Found[], Partial<ReturnType<typeof judge>>]>([
    ['a second effect', [asked], [published], [effect, { ...effect, externalId: 'p2' }], { duplicates: 1 }],
    ['a second post', [asked], [published, published], [effect], {}],
    ['an effect without an invocation', [], [], [effect], {}],
    ['a post that is gone', [asked], [], [], { lost: 1 }],
    ['an effect without a post', [{ ...asked, outcome: 'info' }], [], [effect], { lost: 1 }],
    ['published without an effect', [asked], [published], [], { lost: 1 }],
    ['another id than the effect’s', [asked], [{ ...published, externalId: 'p9' }], [effect], { lost: 1 }],
    ['one that was given up', [asked], [{ ...published, status: 'failed' }], [], { lost: 1 }],
    ['a review of what can be read', [asked], [review], [effect], {}],
    ['one that never ends', [asked], [{ ...published, status: 'sending' }], [effect], { unsettled: 1 }],
    ['one sent after it was resolved', [silent], [resolvedAs('not_published', 'failed')], [effect], {}],
    ['one resolved as published that is not', [silent], [resolvedAs('published', 'published')], [], {}],
    ['a refused one that is there', [{ ...asked, outcome: 'fail' }], [published], [effect], {}],
    [
      'an effect without an attempt',
      [asked],
      [{ ...published, history: ['read_back published'] }],
      [effect],
      {},
    ],
    [
      'two endings',
      [asked],
      [{ ...published, history: [...published.history, 'attempt published'] }],
      [effect],
      {},
    ],
    [
      'an event that is told twice',
      [asked],
      [{ ...published, events: ['post.published', 'post.published'] }],
      [effect],
      {},
    ],
    ['an event that is never told', [asked], [{ ...published, events: [] }], [effect], {}],
  ])('%s', (_what, invocations, posts, effects, counts) => {
    const verdict = judge(invocations, posts, effects);
    expect(verdict).toMatchObject(counts);
    expect(verdict.broken).not.toEqual([]);
  });
});
