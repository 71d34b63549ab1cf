import { expect, test } from '@jest/globals';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { opaqueEvent } from '../../testing/opaque-event.js';
import type { KeyPolicy } from '../access/policy.js';
import type { ProfileId } from '../ids.js';
import { ok } from '../result.js';
import { eventTypePatterns, eventTypes, matchingEventTypes, type EventType } from './event.js';
import { listEvents, NOW, type ListEventsCommand } from './list-events.js';

async function openEvents() {
  const it = await createTestEnvironment();
  const append = (type: EventType, profileId: ProfileId | null = it.profile.id) =>
    it.ports.transactions.run(async (tx) => {
      await tx.events.append(opaqueEvent({ workspaceId: it.workspace.id, type, profileId }));
      return ok();
    });
  const list = async (command: Partial<ListEventsCommand> = {}, policy: Partial<KeyPolicy> = {}) => {
    const result = await listEvents(it.ports, it.call({}, policy), { limit: 100, wait: 0, ...command });
    if (!result.ok) throw new Error(result.failure.code);
    return { ...result.value, types: result.value.items.map(({ type }) => type) };
  };
  return { ...it, append, list };
}

test('lists from the oldest event on, and continues with after, also with another filter', async () => {
  const it = await openEvents();
  await it.append('post.scheduled');
  await it.append('refund.created');
  const first = await it.list({ limit: 1 });
  expect([first.types, first.hasMore]).toEqual([['post.scheduled'], true]);
  const second = await it.list({ after: first.after });
  expect([second.types, second.hasMore]).toEqual([['refund.created'], false]);
  await it.append('post.published');
  expect((await it.list({ after: first.after, type: ['post.*'] })).types).toEqual(['post.published']);
});

test('now begins with the next event', async () => {
  const it = await openEvents();
  await it.append('post.scheduled');
  const { after, types } = await it.list({ after: NOW });
  expect(types).toEqual([]);
  await it.append('post.published');
  expect((await it.list({ after })).types).toEqual(['post.published']);
});

test('a wait ends with the event, and without one at its end with an empty list', async () => {
  const it = await openEvents();
  const startMs = it.clock.now().getTime();
  expect((await it.list({ wait: 5 })).types).toEqual([]);
  expect(it.clock.now().getTime() - startMs).toBeGreaterThanOrEqual(5000);

  const waiting = it.list({ wait: 30 });
  await it.append('post.published');
  expect((await waiting).types).toEqual(['post.published']);
});

test('a key restricted to profiles gets their events only, and asks for no other profile', async () => {
  const it = await openEvents();
  const other = it.build.profile(it.workspace);
  await it.ports.transactions.run(async (tx) => ok(await tx.profiles.insert(other)));
  await it.append('post.scheduled');
  await it.append('post.published', other.id);
  await it.append('key.created', null);
  const restricted = { profileIds: [other.id] };
  expect((await it.list({}, restricted)).types).toEqual(['post.published']);
  expect((await it.list({ profileId: it.profile.id })).types).toEqual(['post.scheduled']);
  const command = { limit: 1, wait: 0, profileId: it.profile.id };
  expect(await listEvents(it.ports, it.call({}, restricted), command)).toMatchObject({
    ok: false,
    failure: { code: 'profile.not_found' },
  });
});

test('an after that no list returned is refused', async () => {
  const it = await openEvents();
  const command = { limit: 1, wait: 0, after: '["posts","1"]' };
  expect(await listEvents(it.ports, it.call(), command)).toMatchObject({
    ok: false,
    failure: { code: 'request.invalid_cursor' },
  });
});

test('a pattern with a star matches all types of its object, and each type has one', () => {
  expect(matchingEventTypes(['key.*', 'media.failed'])).toEqual([
    'media.failed',
    'key.created',
    'key.rotated',
    'key.revoked',
  ]);
  expect(matchingEventTypes(eventTypePatterns.filter((pattern) => pattern.endsWith('.*')))).toEqual(
    eventTypes,
  );
});
