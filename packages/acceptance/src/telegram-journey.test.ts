import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KILN_BOT, KILN_NEWS, startTelegram } from '@switchboard/simulators';
import { openBrowser } from './support/browser.js';
import { findLeaks } from './support/find-leaks.js';
import { submitConnectForm } from './support/connect-sandbox.js';
import { dumpDatabase } from './support/database.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { sampleVideo, noisyPng } from './support/sample-media.js';
import {
  openSocialTestEnvironment,
  listPartIds,
  type SocialTestEnvironment,
} from './support/open-social-test-environment.js';

let files: FileServer;
let telegram: Awaited<ReturnType<typeof startTelegram>>;
let environment: SocialTestEnvironment;
let connectionId: string;
const heard: string[] = [];
const to = () => ({ targets: [{ connection_id: connectionId }] });
const channel = () => telegram.messages.of(KILN_NEWS.id);
const messageOf = (id: string) => telegram.messages.find(KILN_NEWS.id, Number(id));

beforeAll(async () => {
  files = await startFileServer();
  telegram = await startTelegram();
  environment = await openSocialTestEnvironment('telegram', telegram, null, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
  });
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

/** Submits the hosted page's form; returns the resulting page and the session. */
async function type(typed: Readonly<Record<string, string>>) {
  const started = await environment.client.expect(201, 'POST', '/connect/url', {
    body: { platform: 'telegram' },
  });
  const page = await submitConnectForm(openBrowser(), asText(started['url']), 'bot_token', typed);
  const session = await environment.client.expect(200, 'GET', `/connect/sessions/${asText(started['id'])}`);
  heard.push(page.text, JSON.stringify([...page.headers]), JSON.stringify(session));
  return { page, session };
}

describe('a bot and a chat', () => {
  test.each([
    ['an unknown token', { bot_token: `1:${'A'.repeat(35)}`, chat: '@kilnnews' }],
    ['a malformed token', { bot_token: 'no-token-at-all', chat: '@kilnnews' }],
    ['an unknown chat', { bot_token: KILN_BOT.token, chat: '@elsewhere' }],
  ])('are not connected with %s', async (_what, typed) => {
    const { session } = await type(typed);
    expect(session).toMatchObject({ connection_ids: [] });
    expect(session['status']).not.toBe('connected');
  });

  test('are connected through the hosted page', async () => {
    const { session } = await type({ bot_token: KILN_BOT.token, chat: 't.me/kilnnews' });
    expect(session).toMatchObject({ status: 'connected' });
    [connectionId = ''] = session['connection_ids'] as string[];
    expect(
      await environment.client.expect(200, 'GET', `/connections/${connectionId}?refresh=true`),
    ).toMatchObject({
      platform: 'telegram',
      status: 'active',
      missing_permissions: [],
      expires_at: null,
      account: { id: String(KILN_NEWS.id), username: 'kilnnews', url: 'https://t.me/kilnnews' },
    });
  });
});

test('validation knows the maximum length of a caption', async () => {
  const media = [{ url: files.put('long.png', noisyPng(16, 12)).url }];
  const body = (length: number, more: JsonObject = {}) => ({
    body: { text: '🐈'.repeat(length), ...more, ...to() },
  });
  const validate = (asked: { readonly body: JsonObject }) =>
    environment.client.expect(200, 'POST', '/social/posts/validate', asked);
  expect(await validate(body(4_096))).toMatchObject({
    valid: true,
    targets: [{ text: { used: 4_096, max: 4_096 } }],
  });
  expect(await validate(body(1_024, { media }))).toMatchObject({ valid: true });
  expect(await validate(body(1_025, { media }))).toMatchObject({
    valid: false,
    targets: [{ problems: [{ code: 'text.too_long' }] }],
  });
});

test('an album, a thread and a first comment are published in order', async () => {
  const [image, waves] = [files.put('1.png', noisyPng(64, 48)), files.put('video.mp4', sampleVideo)];
  const published = await environment.publishPost({
    text: 'One of *two*',
    media: [{ url: image.url }, { url: waves.url }],
    thread: [{ text: 'Two of two' }],
    first_comment: { text: 'More at https://example.com/more' },
    targets: [{ connection_id: connectionId, options: { silent: true, link_preview: 'none' } }],
  });
  expect(published).toMatchObject({ status: 'published' });
  const [one = '', two = '', comment = ''] = listPartIds(published);
  const first = messageOf(one);
  expect(first).toMatchObject({ text: 'One of *two*', silent: true, replyTo: null });
  expect(first && telegram.messages.withOthers(first).map(({ medium }) => medium)).toMatchObject([
    { kind: 'photo', type: 'image/png', sha256: image.sha256 },
    { kind: 'video', sha256: waves.sha256 },
  ]);
  expect(messageOf(two)).toMatchObject({ replyTo: Number(one), preview: { is_disabled: true } });
  expect(messageOf(comment)).toMatchObject({ replyTo: Number(one) });
  expect(asObjects(published['deliveries'])[0]).toMatchObject({ url: `https://t.me/kilnnews/${one}` });

  const path = `/social/posts/${asText(published['id'])}/unpublish`;
  expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
    status: 'deleted',
  });
  expect(channel()).toEqual([]);
});

test('a post whose response is lost needs a review, and exists once', async () => {
  environment.injectFaultOnce('reset-after-effect', '/bot');
  const lost = await environment.publishPost({ text: 'Lost and not found', ...to() });
  expect(lost).toMatchObject({ status: 'needs_review' });
  expect(channel().map((one) => one.text)).toEqual(['Lost and not found']);
});

test('a rate-limited chat is called again after Telegram’s retry_after, and not before', async () => {
  telegram.limitNext(3);
  const [before, began] = [channel().length, Date.now()];
  expect(await environment.publishPost({ text: 'Wait', ...to() })).toMatchObject({ status: 'published' });
  expect(Date.now() - began).toBeGreaterThanOrEqual(3_000);
  expect(channel()).toHaveLength(before + 1);
});

test('a token that @BotFather has replaced ends the connection', async () => {
  telegram.revoke(KILN_BOT.token);
  const path = `/connections/${connectionId}`;
  expect(await environment.client.expect(200, 'GET', `${path}?refresh=true`)).toMatchObject({
    status: 'needs_reauth',
  });
  await environment.client.expect(204, 'DELETE', path);
});

test('the token appears in no response, page, log, metric or table, although it is part of every path', async () => {
  const paths = telegram.exchanges().map(({ request }) => request.path);
  expect(paths.filter((path) => path.startsWith(`/bot${KILN_BOT.token}/`)).length).toBeGreaterThan(10);
  const places = new Map([
    ['the log', environment.switchboard.logs()],
    ['pages', heard.join('\n')],
    ['answers', environment.transcript.join('\n')],
    ...(await dumpDatabase(environment.switchboard.databaseUrl)),
  ]);
  expect(findLeaks(places, new Map([['token', KILN_BOT.token]]), () => false)).toEqual([]);
});
