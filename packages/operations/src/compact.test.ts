import { expect, test } from '@jest/globals';
import { analyticsShape } from './analytics/analytics-shape.js';
import getAnalytics from './analytics/get-analytics.js';
import { exampleConnection } from './connections/connection-shape.js';
import listConnections from './connections/list-connections.js';
import type { Operation } from './define.js';
import { exampleOrder } from './orders/order-shape.js';
import listOrders from './orders/list-orders.js';
import listPlatforms from './platforms/list-platforms.js';
import { examplePlatformRow } from './platforms/platform-shape.js';
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

test('lists an order by what identifies it, with the beginnings of names and titles', () => {
  const [line] = exampleOrder.line_items;
  const list = (order: object) =>
    compact(listOrders, { ...page({ ...exampleOrder, ...order }), sources: [] });
  const { id, payment_status, fulfillment_status } = exampleOrder;
  const created_at = '2026-11-20T09:00Z';
  expect(list({})).toMatchObject({
    data: [
      {
        id,
        number: '1042',
        created_at,
        payment_status,
        fulfillment_status,
        total: '59.38 EUR',
        customer: 'Ana Ruiz',
        items: '2 × Stoneware mug',
      },
    ],
  });
  const { totals } = exampleOrder;
  const refundable = { amount: '9.38', currency: 'EUR' };
  const customer = { id: 'cus_1', name: long, email: null };
  const line_items = [{ ...line, quantity: 1, title: long }, line, line];
  const cut = `${'x'.repeat(30)}…`;
  const other = {
    number: long,
    status: 'cancelled',
    totals: { ...totals, refundable },
    customer,
    line_items,
  };
  expect(list(other)).toMatchObject({
    data: [
      {
        id,
        number: cut,
        created_at,
        status: 'cancelled',
        payment_status,
        fulfillment_status,
        total: '59.38 EUR',
        refundable: '9.38 EUR',
        customer: cut,
        items: `${cut}, +2`,
      },
    ],
  });
});

test('lists a connection by what identifies it, and what is unusual', () => {
  const list = (connection: object) =>
    compact(listConnections, page({ ...exampleConnection, scheduled_posts: 0, ...connection }));
  const { id } = exampleConnection;
  const common = { id, platform: 'bluesky', kind: 'social' };
  expect(list({})).toEqual({
    data: [{ ...common, username: 'lumen.coffee', name: 'Lumen Coffee', status: 'active' }],
    next_cursor: 'more',
  });
  const account = { id: '1', username: null, name: 'Lumen Coffee', avatar_url: null, url: null };
  const unusual = { account, label: long, status: 'needs_reauth', paused: true, scheduled_posts: 3 };
  expect(list(unusual)).toEqual({
    data: [
      { ...common, name: `${'x'.repeat(40)}…`, status: 'needs_reauth', paused: true, scheduled_posts: 3 },
    ],
    next_cursor: 'more',
  });
});

test('lists a platform with what it can do, without how', () => {
  expect(compact(listPlatforms, page(examplePlatformRow))).toEqual({
    data: [
      {
        id: 'bluesky',
        name: 'Bluesky',
        kind: 'social',
        configured: true,
        capabilities: ['publishing', 'analytics'],
      },
    ],
    next_cursor: 'more',
  });
});

test('tabulates a report by platform, with a null where a platform does not provide a metric', () => {
  const { notes: _notes, next_cursor: _cursor, series: _series, ...report } = getAnalytics.example.output;
  expect(compact(getAnalytics, getAnalytics.example.output)).toEqual({
    ...report,
    coverage: {},
    groups: {
      columns: ['key', 'post_count', 'impressions', 'likes', 'clicks', 'engagement_rate'],
      rows: [
        ['bluesky', 12, null, 11, null, null],
        ['sandbox_social', 7, 1204, 45, 31, 0.043189],
      ],
    },
  });
});

test('names a post in a report by the beginning of its text, and what its platforms do not provide', () => {
  const report = getAnalytics.example.output;
  const post = { id: examplePost.id, text: long, published_at: examplePost.created_at, urls: ['https://a'] };
  const group = { key: examplePost.id, post, post_count: 1, metrics: { likes: 3 } };
  const series = [{ date: '2026-11-01', post_count: 1, metrics: { likes: 3 } }];
  const coverage = {
    likes: { platforms: [], missing: ['x'], reasons: { x: 'needs_reauth' } },
    clicks: { platforms: [], missing: ['bluesky'], reasons: { bluesky: 'not_provided' } },
  };
  expect(
    compact(getAnalytics, { ...report, coverage, groups: [group], series, next_cursor: 'more' }),
  ).toMatchObject({
    coverage: { needs_reauth: { x: ['likes'] }, not_provided: { bluesky: ['clicks'] } },
    groups: {
      columns: ['key', 'post.text', 'post.published_at', 'post_count', 'likes', 'post.url'],
      rows: [[post.id, `${'x'.repeat(120)}…`, post.published_at, 1, 3, 'https://a']],
    },
    series: { columns: ['date', 'post_count', 'likes'], rows: [['2026-11-01', 1, 3]] },
    next_cursor: 'more',
  });
});

test('names what a platform does not provide where the page of a report has no row of it', () => {
  const report = analyticsShape.parse(getAnalytics.example.output);
  const groups = report.groups.filter(({ platform }) => platform === 'sandbox_social');
  expect(compact(getAnalytics, { ...report, groups })).toMatchObject({
    coverage: { not_provided: { bluesky: ['impressions', 'clicks', 'engagement_rate'] } },
  });
});
