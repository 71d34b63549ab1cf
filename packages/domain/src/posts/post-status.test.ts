import { describe, expect, test } from '@jest/globals';
import type { ConnectionId } from '../ids.js';
import type { Post, PostStatus } from './post.js';
import { publicDeliveryStatuses, type DeliveryStatus } from '../deliveries/delivery.js';
import { isBlocked, isSettled, postStatus } from './post-status.js';

const now = new Date('2026-11-21T12:00:00Z');
const due = new Date('2026-11-21T12:00:00Z');
const later = new Date('2026-11-21T12:00:01Z');
const statuses: readonly DeliveryStatus[] = ['awaiting_approval', ...publicDeliveryStatuses];

const of = (...deliveries: (DeliveryStatus | [DeliveryStatus, Date])[]): PostStatus =>
  postStatus(
    deliveries.map((delivery) =>
      typeof delivery === 'string'
        ? { status: delivery, scheduledAt: due, publishedAt: null }
        : { status: delivery[0], scheduledAt: delivery[1], publishedAt: null },
    ),
    now,
  );

describe('a post', () => {
  test('is scheduled while every open delivery waits for its time', () => {
    expect(of(['pending', later])).toBe('scheduled');
    expect(of(['pending', later], ['pending', later])).toBe('scheduled');
    expect(of(['pending', later], 'cancelled')).toBe('scheduled');
  });

  test('is publishing as soon as one delivery is due', () => {
    expect(of('pending')).toBe('publishing');
    expect(of(['pending', later], 'pending')).toBe('publishing');
    expect(of('published', 'pending')).toBe('publishing');
  });

  test.each<DeliveryStatus>(['sending', 'retrying', 'blocked', 'unknown'])(
    'is publishing while one is %s, regardless of its time',
    (status) => {
      expect(of(status)).toBe('publishing');
      expect(of([status, later])).toBe('publishing');
      expect(of([status, later], 'published', 'failed')).toBe('publishing');
    },
  );

  test('needs review as soon as one delivery does, regardless of the others', () => {
    for (const status of statuses) {
      expect(of('needs_review', status)).toBe('needs_review');
      expect(of([status, later], 'needs_review')).toBe('needs_review');
    }
  });

  test('waits for approval as soon as one delivery does, unless one needs review', () => {
    for (const status of statuses) {
      const expected = status === 'needs_review' ? status : 'awaiting_approval';
      expect(of('awaiting_approval', status)).toBe(expected);
      expect(of(['awaiting_approval', later], status)).toBe(expected);
    }
  });

  test.each<[PostStatus, DeliveryStatus[]]>([
    ['published', ['published']],
    ['published', ['published', 'published']],
    ['partially_published', ['published', 'failed']],
    ['partially_published', ['missed', 'published']],
    ['partially_published', ['published', 'cancelled']],
    ['partially_published', ['deleted', 'published']],
    ['failed', ['failed']],
    ['failed', ['failed', 'missed', 'cancelled', 'deleted']],
    ['missed', ['missed']],
    ['missed', ['cancelled', 'missed']],
    ['cancelled', ['cancelled']],
    ['cancelled', ['cancelled', 'cancelled']],
    ['cancelled', []],
    ['deleted', ['deleted']],
    ['deleted', ['cancelled', 'deleted']],
  ])('is %s when its deliveries are %j', (status, deliveries) => {
    expect(of(...deliveries)).toBe(status);
  });

  test('has the same status regardless of the order of its deliveries', () => {
    for (const one of statuses)
      for (const two of statuses)
        for (const three of statuses) {
          const status = of(one, two, three);
          expect([of(two, three, one), of(three, one, two), of(three, two, one)]).toEqual([
            status,
            status,
            status,
          ]);
        }
  });

  test('is settled exactly when no delivery can still change automatically', () => {
    const moving = ['awaiting_approval', 'pending', 'sending', 'retrying', 'blocked', 'unknown'];
    for (const one of statuses)
      for (const two of statuses) {
        const waitsForPerson = one === 'needs_review' || two === 'needs_review';
        const moves = moving.includes(one) || moving.includes(two);
        expect(isSettled(of(one, two))).toBe(waitsForPerson || !moves);
      }
  });
});

const connectionId = 'con_1' as ConnectionId;

test('a post is blocked when every open delivery waits for a person', () => {
  const waitsUnder = (holds: Post['holds'], all: readonly DeliveryStatus[], draft = false) =>
    isBlocked({ draft, holds, deliveries: all.map((status) => ({ status, connectionId })) });
  const waits = (...all: DeliveryStatus[]) => waitsUnder({}, all);
  expect(waits('blocked')).toBe(true);
  expect(waits('blocked', 'published', 'failed', 'needs_review')).toBe(true);
  for (const open of ['pending', 'sending', 'retrying', 'unknown'] as const) {
    expect(waits('blocked', open)).toBe(false);
  }
  expect(waits('published')).toBe(false);
  expect(waitsUnder({}, ['blocked'], true)).toBe(false);
  const holds: Post['holds'] = { [connectionId]: 'profile' };
  expect(waitsUnder(holds, ['pending', 'retrying', 'blocked', 'published'])).toBe(true);
  for (const open of ['sending', 'unknown'] as const)
    expect(waitsUnder(holds, ['pending', open])).toBe(false);
});
