import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KILN_CHANNEL, KILN_DISCORD_BOT, startDiscord } from '@switchboard/simulators';
import { openBrowser } from './support/browser.js';
import { findLeaks } from './support/find-leaks.js';
import { submitConnectForm } from './support/connect-sandbox.js';
import { dumpDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { noisyPng } from './support/sample-media.js';
import {
  openSocialTestEnvironment,
  listPartIds,
  createSocialApp,
  type SocialTestEnvironment,
} from './support/open-social-test-environment.js';

const TEAM = { ...KILN_CHANNEL, id: '290926798999350000', name: 'team' };
const addressOf = ({ id, guildId }: typeof KILN_CHANNEL) => `https://discord.com/channels/${guildId}/${id}`;
let files: FileServer;
let discord: Awaited<ReturnType<typeof startDiscord>>;
let environment: SocialTestEnvironment;
let webhook: string;
let bot: string;
const to = (id: string, options: JsonObject = {}) => ({ targets: [{ connection_id: id, options }] });
const messageOf = (id: string) =>
  discord.messages.find(KILN_CHANNEL.id, id) ?? discord.messages.find(TEAM.id, id);
const keys = () => [...discord.webhooks.values()].map(({ token }) => token);

beforeAll(async () => {
  files = await startFileServer();
  const app = createSocialApp('discord');
  discord = await startDiscord({ apps: [app] });
  discord.addChannel(TEAM);
  discord.allow(KILN_DISCORD_BOT, TEAM, 'posts');
  environment = await openSocialTestEnvironment('discord', discord, app, {
    SWITCHBOARD_ALLOW_PRIVATE_HOSTS: files.host,
  });
});
afterAll(async () => {
  await environment?.close();
  await files?.close();
});

describe('connected', () => {
  test('by a webhook with consent at Discord', async () => {
    const before = discord.webhooks.size;
    const { session } = await environment.completeConsent({}, 'webhook');
    expect(session).toMatchObject({ status: 'connected' });
    [webhook = ''] = session['connection_ids'] as string[];
    expect(discord.webhooks.size).toBe(before + 1);
    expect(await environment.client.expect(200, 'GET', `/connections/${webhook}?refresh=true`)).toMatchObject(
      {
        platform: 'discord',
        status: 'active',
        missing_permissions: [],
        expires_at: null,
        account: { id: KILN_CHANNEL.id, url: addressOf(KILN_CHANNEL) },
      },
    );
  });

  test('with a bot token and a channel entered in the form', async () => {
    const started = await environment.client.expect(201, 'POST', '/connect/url', {
      body: { platform: 'discord' },
    });
    const typed = { bot_token: KILN_DISCORD_BOT.token, channel: addressOf(TEAM) };
    await submitConnectForm(openBrowser(), asText(started['url']), 'bot_token', typed);
    const session = await environment.client.expect(200, 'GET', `/connect/sessions/${asText(started['id'])}`);
    expect(session).toMatchObject({ status: 'connected' });
    [bot = ''] = session['connection_ids'] as string[];
    expect(await environment.client.expect(200, 'GET', `/connections/${bot}?refresh=true`)).toMatchObject({
      status: 'active',
      missing_permissions: [],
      account: { id: TEAM.id, name: '#team', url: addressOf(TEAM) },
    });
  });
});

test('validation reports what a webhook cannot do and a bot can', async () => {
  const body = { text: '🐈'.repeat(2_000), thread: [{ text: 'Two' }], first_comment: { text: 'More' } };
  const validate = (id: string) =>
    environment.client.expect(200, 'POST', '/social/posts/validate', { body: { ...body, ...to(id) } });
  expect(await validate(bot)).toMatchObject({
    valid: true,
    targets: [{ text: { used: 2_000, max: 2_000 }, problems: [] }],
  });
  expect(await validate(webhook)).toMatchObject({
    valid: false,
    targets: [{ problems: [{ path: 'thread', code: 'thread.unsupported' }, { path: 'first_comment' }] }],
  });
});

test('a bot posts images, a thread and a first comment in order, and mentions no one', async () => {
  const [one, other] = [files.put('1.png', noisyPng(64, 48)), files.put('2.png', noisyPng(48, 64))];
  const published = await environment.publishPost({
    text: 'One of two, @everyone',
    media: [{ url: one.url, alt_text: 'Noise 🐈' }, { url: other.url }],
    thread: [{ text: 'Two of two' }],
    first_comment: { text: 'More at https://example.com/more' },
    ...to(bot),
  });
  expect(published).toMatchObject({ status: 'published' });
  const [first = '', second = '', comment = ''] = listPartIds(published);
  expect(messageOf(first)).toMatchObject({
    content: 'One of two, @everyone',
    calls: [],
    replyTo: null,
    attachments: [
      { type: 'image/png', sha256: one.sha256, description: 'Noise 🐈' },
      { type: 'image/png', sha256: other.sha256, description: null },
    ],
  });
  expect(messageOf(second)).toMatchObject({ replyTo: first });
  expect(messageOf(comment)).toMatchObject({ replyTo: first });
  expect(asObjects(published['deliveries'])[0]).toMatchObject({ url: `${addressOf(TEAM)}/${first}` });
});

test('a bot’s post whose response is lost is found by reading back, and exists once', async () => {
  const before = discord.messages.createdCount();
  environment.injectFaultOnce('reset-after-effect', '/api/v10/channels');
  const published = await environment.publishPost({
    text: 'Lost & <found>',
    link: 'https://example.com/a?b=c',
    ...to(bot),
  });
  expect(published).toMatchObject({ status: 'published' });
  expect(discord.messages.createdCount()).toBe(before + 1);
  const [id = ''] = listPartIds(published);
  expect(messageOf(id)?.content).toBe('Lost & <found>\nhttps://example.com/a?b=c');
});

test('a webhook’s post whose response is lost needs a review, and exists once', async () => {
  environment.injectFaultOnce('reset-after-effect', '/api/v10/webhooks');
  const lost = await environment.publishPost({ text: 'Lost and not found', ...to(webhook) });
  expect(lost).toMatchObject({ status: 'needs_review' });
  expect(
    discord.messages.of(KILN_CHANNEL.id).filter(({ content }) => content === 'Lost and not found'),
  ).toHaveLength(1);
});

test('a rate-limited connection waits for the given time and then posts', async () => {
  discord.limitNext(2.5);
  const began = Date.now();
  const published = await environment.publishPost({
    text: 'Wait',
    link: 'https://example.com/soon',
    targets: [{ connection_id: webhook, title: 'Soon', options: { mentions: 'named', silent: true } }],
  });
  expect(published).toMatchObject({ status: 'published' });
  expect(Date.now() - began).toBeGreaterThanOrEqual(2_500);
  const [id = ''] = listPartIds(published);
  expect(messageOf(id)).toMatchObject({
    content: 'Wait',
    calls: ['users', 'roles'],
    flags: 4_096,
    embeds: [{ title: 'Soon', url: 'https://example.com/soon' }],
  });
});

test('reactions are the only metrics', async () => {
  const report = await environment.client.expect(200, 'GET', '/social/analytics', {
    query: { connection_id: bot, group_by: 'post' },
  });
  expect(report['totals']).toMatchObject({ likes: 6, views: null, comments: null });
});

test('posts are deleted by the connection that made them', async () => {
  for (const id of [bot, webhook]) {
    const published = await environment.publishPost({ text: 'For a moment', ...to(id) });
    const [posted = ''] = listPartIds(published);
    expect(messageOf(posted)).not.toBeNull();
    const path = `/social/posts/${asText(published['id'])}/unpublish`;
    expect(await environment.client.expect(200, 'POST', path, { body: {} })).toMatchObject({
      status: 'deleted',
    });
    expect(messageOf(posted)).toBeNull();
  }
});

test('no key appears in a response, log or table, although a webhook token is part of every path', async () => {
  const secrets = new Map([
    ['bot’s token', KILN_DISCORD_BOT.token],
    ...keys().map((key, at) => [`key ${at}`, key] as const),
  ]);
  const paths = discord.exchanges().map(({ request }) => request.path);
  expect(paths.filter((path) => keys().some((key) => path.includes(key))).length).toBeGreaterThan(3);
  const places = new Map([
    ['the log', environment.switchboard.logs()],
    ['answers', environment.transcript.join('\n')],
    ...(await dumpDatabase(environment.switchboard.databaseUrl)),
  ]);
  expect(findLeaks(places, secrets, () => false)).toEqual([]);
});

test('a deleted webhook ends the connection, which continues with another webhook', async () => {
  discord.webhooks.clear();
  const path = `/connections/${webhook}?refresh=true`;
  expect(await environment.client.expect(200, 'GET', path)).toMatchObject({ status: 'needs_reauth' });
  const { session } = await environment.completeConsent({}, 'webhook');
  expect(session).toMatchObject({ status: 'connected', connection_ids: [webhook] });
  expect(await environment.client.expect(200, 'GET', path)).toMatchObject({ status: 'active' });
  expect(await environment.publishPost({ text: 'Back again', ...to(webhook) })).toMatchObject({
    status: 'published',
  });
});

test('a disconnected webhook is deleted, and a bot stays', async () => {
  const before = discord.webhooks.size;
  for (const id of [webhook, bot]) await environment.client.expect(204, 'DELETE', `/connections/${id}`);
  await eventually('the webhook is deleted', async () =>
    discord.webhooks.size === before - 1 ? true : null,
  );
  expect(discord.exchanges().at(-1)?.request).toMatchObject({ method: 'DELETE' });
});
