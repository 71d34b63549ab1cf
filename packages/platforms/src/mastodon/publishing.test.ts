import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PublishItem, Session } from '@switchboard/domain/ports';
import { buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { connecting } from './connecting.js';
import { analytics } from './analytics.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
beforeAll(async () => {
  world = await startWorld();
  session = testSession(world);
});
afterAll(() => world.close());

const find = publishing.find?.bind(publishing) as NonNullable<typeof publishing.find>;

async function publish(item: PublishItem) {
  const result = await publishing.publish(session, item, discardReceipt);
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}

test('a post has the requested visibility, warning and language, and its URL', async () => {
  const options = { visibility: 'unlisted', sensitive: true, spoiler_text: 'Food', language: 'ca' };
  const posted = await publish(buildItem('Pa amb tomàquet', { options }));
  expect(world.instance.statuses.find(posted.externalId)).toMatchObject({
    text: 'Pa amb tomàquet',
    visibility: 'unlisted',
    sensitive: true,
    spoilerText: 'Food',
    language: 'ca',
  });
  expect(posted.url).toBe(`${world.baseUrl}/@alice/${posted.externalId}`);
  expect(posted.receipt).toEqual({ uri: `${world.baseUrl}/users/alice/statuses/${posted.externalId}` });
});

test('a second attempt within the hour has the same key, and is the same post', async () => {
  const item = buildItem('Once');
  const before = world.effects();
  expect(await publish(item)).toEqual(await publish(item));
  expect(world.effects()).toBe(before + 1);
  const keys = world.exchanges().filter(({ path }) => path === '/api/v1/statuses');
  expect(keys.slice(-2).map(({ key }) => key)).toEqual([item.reference, item.reference]);
});

describe('a thread', () => {
  const options = { visibility: 'unlisted', spoiler_text: 'Long', language: 'ca' };

  test('a thread replies part by part, each with the visibility and warning of the post', async () => {
    const root = await publish(buildItem('1/3', { options }));
    const second = await publish(
      buildItem('2/3', { kind: 'thread', options, replyTo: { root, parent: root } }),
    );
    const third = await publish(
      buildItem('3/3', { kind: 'thread', options, replyTo: { root, parent: second } }),
    );
    const comment = await publish(buildItem('Sources', { kind: 'comment', replyTo: { root, parent: root } }));
    const stored = [root, second, third, comment].map(({ externalId }) =>
      world.instance.statuses.find(externalId),
    );
    expect(stored.map((status) => status?.inReplyToId)).toEqual([
      ...[null, root.externalId, second.externalId, root.externalId],
    ]);
    for (const part of stored.slice(0, 3)) {
      expect(part).toMatchObject({ visibility: 'unlisted', spoilerText: 'Long', language: 'ca' });
    }
  });

  test('is found part by part, also if all have the same text', async () => {
    const root = await publish(buildItem('Again and again'));
    const response = buildItem('Again and again', { kind: 'thread', replyTo: { root, parent: root } });
    expect(await find(session, response)).toEqual({ ok: true, value: null });
    const second = await publish(response);
    const further = buildItem('Again and again', { kind: 'thread', replyTo: { root, parent: second } });
    expect(await find(session, response)).toEqual({ ok: true, value: second });
    expect(await find(session, further)).toEqual({ ok: true, value: null });
  });

  test('ends if the post that it replies to is gone, with the server’s own message', async () => {
    const root = await publish(buildItem('Soon gone'));
    world.instance.statuses.remove(root.externalId);
    const response = buildItem('To no account', { kind: 'thread', replyTo: { root, parent: root } });
    expect(await publishing.publish(session, response, discardReceipt)).toMatchObject({
      failure: {
        code: 'platform.refused',
        platform: { message: 'The post you are trying to reply to does not appear to exist.' },
      },
    });
  });
});

describe('looking up a post', () => {
  test('finds it with every form of its HTML', async () => {
    const text = '  <b>&amp; "quoted" 👨‍👩‍👧‍👦\nhttps://example.com/a?b=c&d=e @alice #tag  ';
    const item = buildItem(text);
    const posted = await publish(item);
    expect(await find(session, item)).toEqual({ ok: true, value: posted });
  });

  test('does not mistake the same text with another warning for it', async () => {
    await publish(buildItem('Warned', { options: { spoiler_text: 'One' } }));
    const other = buildItem('Warned', { options: { spoiler_text: 'Two' } });
    expect(await find(session, other)).toEqual({ ok: true, value: null });
  });

  test('does not mistake an older post with the same text for it', async () => {
    const first = await publish(buildItem('Every day the same'));
    const created = world.instance.statuses.find(first.externalId)?.createdAt ?? new Date(0);
    const next = buildItem('Every day the same', { createdAt: new Date(created.getTime() + 6_000) });
    expect(await find(session, next)).toEqual({ ok: true, value: null });
  });

  test('requires a manual check if there are several', async () => {
    const item = buildItem('Twice');
    await publish(item);
    await publish(buildItem('Twice'));
    expect(await find(session, item)).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  });

  test('searches more than one page', async () => {
    const item = buildItem('First of many');
    const posted = await publish(item);
    for (let at = 0; at < 45; at++) await publish(buildItem(`Later ${at}`));
    expect(await find(session, item)).toEqual({ ok: true, value: posted });
  });
});

test('the user is not asked to grant more if the account may not do it at all', async () => {
  const refused = await publishing.publish(
    {
      ...session,
      request: async () => ({
        ok: true,
        value: {
          status: 403,
          ok: false,
          headers: {},
          body: new Uint8Array(),
          json: { error: 'Your login is currently disabled' },
        },
      }),
    },
    buildItem('Hello'),
    discardReceipt,
  );
  expect(refused).toMatchObject({ failure: { code: 'platform.refused' } });
});

describe('an account', () => {
  test('has its server’s name, and the maximum text length of its server', async () => {
    world.instance.limitTo({ maxCharacters: 5_000 });
    const { host } = new URL(world.baseUrl);
    expect(await connecting.identify(session)).toMatchObject({
      ok: true,
      value: [
        {
          id: `109000000000000001@${host}`,
          username: `alice@${host}`,
          textLimits: { max: 5_000, perLink: 23 },
        },
      ],
    });
    world.instance.limitTo({ maxCharacters: 500 });
  });
});

test('fifty posts take three requests', async () => {
  const before = world.requests();
  const found = await analytics.ofPosts(
    session,
    Array.from({ length: 50 }, (_, at) => `${at}`),
  );
  expect(found).toEqual({ ok: true, value: new Map() });
  expect(world.requests()).toBe(before + 3);
});
