import { expect, test } from '@jest/globals';
import type { DeliveryStatus } from '@switchboard/domain/deliveries';
import type { Post } from '@switchboard/domain/posts';
import { postProgress } from './post-progress.js';

const progressOf = (...statuses: DeliveryStatus[]) =>
  postProgress({ deliveries: statuses.map((status) => ({ status })) } as unknown as Post);

test.each<[DeliveryStatus[], number, string]>([
  [['pending', 'sending', 'retrying'], 0, '0 of 3 published.'],
  [['published', 'sending', 'unknown'], 1, '1 of 3 published.'],
  [['published', 'failed', 'sending'], 2, '1 of 3 published, 1 not.'],
  [['published', 'blocked', 'needs_review'], 3, '1 of 3 published, 2 not.'],
  [['published', 'published', 'published'], 3, '3 of 3 published.'],
])('reports %j as %i done: %s', (statuses, done, message) => {
  expect(progressOf(...statuses)).toEqual({ done, total: 3, message });
});
