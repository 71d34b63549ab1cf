import { expect, test } from '@jest/globals';
import type { DeliveryErrorCode } from '@switchboard/domain';
import type { DeliveryStatus } from '@switchboard/domain/deliveries';
import { memorySocial } from '@switchboard/domain/testing';
import { z } from 'zod';
import { setupDispatch } from '../testing/setup-dispatch.js';
import createPost from './create-post.js';
import getPost from './get-post.js';
import updatePost from './update-post.js';
import validatePost from './validate-post.js';

test('finds the available options from the arguments of a post', () => {
  const says = ({ mcpInput }: typeof createPost) =>
    JSON.stringify(z.toJSONSchema(mcpInput, { io: 'input' })).split('get_publishing_options').length - 1;
  expect([createPost, validatePost, updatePost].map(says)).toEqual([1, 1, 1]);
});

test.each<[DeliveryStatus, DeliveryErrorCode, string, Record<string, unknown>]>([
  ['failed', 'platform.unavailable', 'retryPost', { delivery_ids: ['DELIVERY'], id: 'POST' }],
  ['missed', 'post.missed', 'retryPost', { delivery_ids: ['DELIVERY'], id: 'POST' }],
  ['failed', 'platform.refused', 'getPublishingOptions', { id: 'CONNECTION' }],
  ['failed', 'platform.permission_missing', 'startConnect', { connection_id: 'CONNECTION' }],
  ['blocked', 'connection.needs_reauth', 'startConnect', { connection_id: 'CONNECTION' }],
  ['failed', 'connection.not_found', 'listConnections', {}],
  ['failed', 'platform.not_configured', 'getPlatform', { id: 'PLATFORM' }],
  ['unknown', 'platform.outcome_unknown', 'recheckDelivery', { id: 'POST', delivery_id: 'DELIVERY' }],
  ['needs_review', 'platform.outcome_unknown', 'recheckDelivery', { id: 'POST', delivery_id: 'DELIVERY' }],
  ['retrying', 'platform.unavailable', 'getPost', { id: 'POST' }],
])('a delivery that is %s with %s names the call %s', async (status, code, operation, args) => {
  const it = await setupDispatch();
  const connection = await it.connect();
  const error = { code, message: 'x' };
  const post = it.build.post(it.profile, [connection], {}, { status, error });
  await it.repositories.posts.insert(post);
  const { authorization } = await it.key(['posts:write', 'connections:read', 'connections:write']);
  const { value } = await it.call(getPost, { id: post.id }, { authorization });
  const ids: Readonly<Record<string, string | undefined>> = {
    POST: post.id,
    DELIVERY: post.deliveries[0]?.id,
    CONNECTION: connection.id,
    PLATFORM: connection.platform,
  };
  const text = JSON.stringify(args).replace(/[A-Z]{4,}/g, (name) => ids[name] ?? name);
  expect(value).toMatchObject({
    deliveries: [{ error: { code, next: { operation, arguments: JSON.parse(text) as unknown } } }],
  });
});

test('names no recheck for a delivery to review where the platform cannot be queried', async () => {
  const it = await setupDispatch([memorySocial({ readBack: false })]);
  const error = { code: 'platform.outcome_unknown', message: 'x' } as const;
  const post = it.build.post(it.profile, [await it.connect()], {}, { status: 'needs_review', error });
  await it.repositories.posts.insert(post);
  const { authorization } = await it.key(['posts:read']);
  const { value } = await it.call(getPost, { id: post.id }, { authorization });
  expect(value).toMatchObject({ deliveries: [{ error: { next: { operation: 'getPost' } } }] });
});

test('names no call that the key may not make', async () => {
  const it = await setupDispatch();
  const error = { code: 'platform.unavailable', message: 'x' } as const;
  const post = it.build.post(it.profile, [await it.connect()], {}, { status: 'failed', error });
  await it.repositories.posts.insert(post);
  const { authorization } = await it.key(['posts:read']);
  const { value } = await it.call(getPost, { id: post.id }, { authorization });
  expect(value).toMatchObject({
    deliveries: [{ error: { next: { operation: 'getPost', arguments: { id: post.id } } } }],
  });
});
