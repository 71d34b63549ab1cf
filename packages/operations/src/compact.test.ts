import { expect, test } from '@jest/globals';
import getAnalytics from './analytics/get-analytics.js';
import type { Operation } from './define.js';
import { exampleOrder } from './orders/order-shape.js';
import listOrders from './orders/list-orders.js';
import listPosts from './posts/list-posts.js';
import { presentError } from './pipeline/error-shape.js';
import { examplePost } from './posts/post-shape.js';

const long = 'x'.repeat(20_000);
const compact = ({ compact }: Operation, answer: Readonly<Record<string, unknown>>) =>
  compact?.(answer) ?? {};
const page = (item: object) => ({ data: [item], next_cursor: 'more' });

test('lists a post by the beginning of its text and its delivery to each account', () => {
  const [delivery] = examplePost.deliveries;
  const error = presentError({ code: 'platform.refused', message: long });
  const post = { ...examplePost, text: long, deliveries: [{ ...delivery, error }] };
  expect(compact(listPosts, page(post))).toEqual({
    data: [
      {
        id: post.id,
        status: post.status,
        text: `${'x'.repeat(120)}…`,
        scheduled_at: post.scheduled_at,
        created_at: post.created_at,
        deliveries: [
          {
            id: delivery?.id,
            connection_id: delivery?.connection_id,
            platform: delivery?.platform,
            status: delivery?.status,
            published_at: delivery?.published_at,
            url: delivery?.url,
            error: { code: 'platform.refused' },
          },
        ],
      },
    ],
    next_cursor: 'more',
  });
});

test('lists names and titles of an order by their beginnings', () => {
  const [line] = exampleOrder.line_items;
  const customer = { id: 'cus_1', name: long, email: null };
  const order = { ...exampleOrder, number: long, customer, line_items: [{ ...line, title: long }] };
  const cut = `${'x'.repeat(200)}…`;
  expect(compact(listOrders, { ...page(order), sources: [] })).toMatchObject({
    data: [{ number: cut, customer: { id: 'cus_1', name: cut }, items: [{ title: cut, quantity: 2 }] }],
  });
});

test('names a post in a report by the beginning of its text', () => {
  const report = getAnalytics.example.output;
  const post = { id: examplePost.id, text: long, published_at: examplePost.created_at, urls: [] };
  const group = { key: examplePost.id, post, post_count: 1, metrics: { likes: null } };
  expect(compact(getAnalytics, { ...report, groups: [group] })).toEqual({
    ...report,
    groups: [{ ...group, post: { ...post, text: `${'x'.repeat(120)}…` } }],
  });
});
