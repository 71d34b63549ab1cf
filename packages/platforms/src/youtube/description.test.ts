import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { publishedTypesValidator } from '@switchboard/simulators';
import { listCalls, buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { manifest } from './manifest.js';
import youtube from './index.js';
import { startWorld } from './testing/world.js';

/** The names of Google's published types for the parameters, the body and the response of each request. */
const described: Readonly<Record<string, { query?: string; sent?: string; answered?: string }>> = {
  'POST /upload/youtube/v3/videos': { query: 'y.Params$Resource$Videos$Insert', sent: 'y.Schema$Video' },
  'PUT /upload/youtube/v3/videos': { answered: 'y.Schema$Video' },
  'POST /upload/youtube/v3/thumbnails/set': {
    query: 'y.Params$Resource$Thumbnails$Set',
    answered: 'y.Schema$ThumbnailSetResponse',
  },
  'GET /youtube/v3/channels': {
    query: 'y.Params$Resource$Channels$List',
    answered: 'y.Schema$ChannelListResponse',
  },
  'GET /youtube/v3/videos': {
    query: 'y.Params$Resource$Videos$List',
    answered: 'y.Schema$VideoListResponse',
  },
  'PUT /youtube/v3/videos': {
    query: 'y.Params$Resource$Videos$Update',
    sent: 'y.Schema$Video',
    answered: 'y.Schema$Video',
  },
  'DELETE /youtube/v3/videos': { query: 'y.Params$Resource$Videos$Delete' },
  'GET /youtube/v3/playlistItems': {
    query: 'y.Params$Resource$Playlistitems$List',
    answered: 'y.Schema$PlaylistItemListResponse',
  },
  'POST /youtube/v3/commentThreads': {
    query: 'y.Params$Resource$Commentthreads$Insert',
    sent: 'y.Schema$CommentThread',
    answered: 'y.Schema$CommentThread',
  },
  'GET /youtube/v3/commentThreads': {
    query: 'y.Params$Resource$Commentthreads$List',
    answered: 'y.Schema$CommentThreadListResponse',
  },
  'DELETE /youtube/v3/comments': { query: 'y.Params$Resource$Comments$Delete' },
  'GET /v2/reports': { query: 'a.Params$Resource$Reports$Query', answered: 'a.Schema$QueryResponse' },
};

const judge = publishedTypesValidator(path.join(import.meta.dirname, '../../node_modules'), [
  "import type { youtube_v3 as y } from '@googleapis/youtube/build/v3';",
  "import type { youtubeAnalytics_v2 as a } from '@googleapis/youtubeanalytics/build/v2';",
]);

/** Converts query strings to the types of the description. */
const typed = (query: URLSearchParams): Record<string, unknown> =>
  Object.fromEntries(
    [...query].map(([name, value]): [string, unknown] => {
      if (name === 'part' || name === 'id') return [name, value.split(',')];
      if (value === 'true' || value === 'false') return [name, value === 'true'];
      return [name, name === 'maxResults' ? Number(value) : value];
    }),
  );

let world: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => {
  world = await startWorld();
  const { publishing } = youtube;
  const open = (token: string) => testSession({ ...world, token, otherOrigins: [manifest.analyticsBaseUrl] });
  const session = open(world.token);
  const options = {
    made_for_kids: false,
    tags: ['pots'],
    category: '26',
    synthetic_media: false,
    notify_subscribers: false,
  };
  const item = buildItem('Described', { title: 'Pots', options, media: [videoOf(), imageOf()] });
  const posted = await publishing?.publish(session, item, discardReceipt);
  if (!posted?.ok) throw new Error('it was not published');
  const answers = { root: posted.value, parent: posted.value };
  const comment = buildItem('First', { kind: 'comment', options, replyTo: answers });
  const stated = await publishing?.publish(session, comment, discardReceipt);
  if (!stated?.ok) throw new Error('it was not commented');
  // Its upload is no longer known, so it is searched in the list.
  const receipt = { upload: '/upload/youtube/v3/videos?upload_id=forgotten', bytes: '3000000', ended: 'yes' };
  await publishing?.find?.(session, { ...item, receipt });
  await publishing?.find?.(session, { ...item, receipt: { video: posted.value.externalId } });
  await publishing?.find?.(session, comment);
  await youtube.analytics?.ofPosts?.(session, [posted.value.externalId]);
  for (const call of listCalls(youtube, () => world)) {
    await call.run(session);
    await call.run(open(world.weakToken));
  }
  await publishing?.remove?.(session, stated.value);
  await publishing?.remove?.(session, posted.value);
});
afterAll(() => world.close());

test('Google’s published types describe every request and every response of the simulator', () => {
  const values = world.exchanges().flatMap(({ request, answer }) => {
    const of = described[`${request.method} ${request.path}`];
    if (!of) throw new Error(`${request.method} ${request.path} is not described`);
    const { id, ...query } = typed(request.query);
    const one = request.method === 'DELETE' ? request.query.get('id') : id;
    return [
      ...(of.query ? [[of.query, { ...query, ...(id !== undefined && { id: one }) }] as const] : []),
      ...(of.sent ? [[of.sent, request.body] as const] : []),
      ...(of.answered && answer.status === 200 ? [[of.answered, answer.json] as const] : []),
    ];
  });
  expect(values.length).toBeGreaterThan(30);
  expect(judge(values)).toEqual([]);
  const requested = world.exchanges().map(({ request }) => `${request.method} ${request.path}`);
  expect([...new Set(requested)].sort()).toEqual(Object.keys(described).sort());
}, 60_000);

test('the validator rejects an undocumented request', () => {
  expect(judge([['y.Schema$Video', { id: 'a', snippet: { title: 'Pots' } }]])).toEqual([]);
  expect(judge([['y.Schema$Video', { name: 'Pots' }]])).toHaveLength(1);
  expect(judge([['y.Schema$Video', { statistics: { viewCount: 3 } }]])).toHaveLength(1);
  expect(judge([['y.Params$Resource$Videos$List', { parts: ['snippet'] }]])).toHaveLength(1);
  expect(judge([['a.Params$Resource$Reports$Query', { maxResults: '3' }]])).toHaveLength(1);
}, 60_000);
