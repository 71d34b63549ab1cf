import { fieldsOf, pickFields, textsOf, type WireResponse } from '../wire/exchange.js';
import { okResponse, invalid, scopeMissing } from './responses.js';
import type { TikTokPost } from './post-store.js';
import type { TikTokAccount, TikTokRequest, TikTokState } from './network.js';
import { creatorOf } from './posting.js';

const PAGE_MAX = 20;

/** The scope of each account field. */
const FIELDS: Readonly<Record<string, string>> = {
  open_id: 'user.info.basic',
  avatar_url: 'user.info.basic',
  display_name: 'user.info.basic',
  username: 'user.info.profile',
  follower_count: 'user.info.stats',
};

const requestedFields = (query: URLSearchParams) => (query.get('fields') ?? '').split(',');

export function readUser(state: TikTokState, { query, owner }: TikTokRequest): WireResponse {
  const account = creatorOf(state, owner.account);
  const fields = requestedFields(query);
  const unknown = fields.find((name) => FIELDS[name] === undefined);
  if (unknown !== undefined) return invalid(`Fields is not valid: ${unknown}`);
  const missing = fields.map((name) => FIELDS[name] ?? '').find((scope) => !owner.scopes.includes(scope));
  if (missing !== undefined) return scopeMissing(missing);
  const user = {
    open_id: account.id,
    display_name: account.name,
    avatar_url: 'https://p19-sign.tiktokcdn-us.com/tos-useast5-avt-0068-tx/b17f0e4b.jpeg',
    username: account.username,
    follower_count: account.followers,
  };
  return okResponse({ user: pickFields(user, fields) });
}

/** The public posts, newest first; the cursor is the time of the last one in milliseconds. */
export function listVideos(state: TikTokState, { query, body, owner }: TikTokRequest): WireResponse {
  const account = creatorOf(state, owner.account);
  const { max_count: size = 10, cursor } = fieldsOf(body);
  if (typeof size !== 'number' || size < 1 || size > PAGE_MAX) return invalid('max_count is not valid.');
  const before = typeof cursor === 'number' ? cursor : Infinity;
  const all = state.posts.publicOf(account.id).filter(({ createdAt }) => createdAt.getTime() < before);
  const page = all.slice(0, size);
  return okResponse({
    videos: page.map((post) => pickFields(presentPost(post, account), requestedFields(query))),
    cursor: page.at(-1)?.createdAt.getTime() ?? 0,
    has_more: all.length > size,
  });
}

export function queryVideos(state: TikTokState, { query, body, owner }: TikTokRequest): WireResponse {
  const account = creatorOf(state, owner.account);
  const ids = textsOf(fieldsOf(fieldsOf(body)['filters'])['video_ids']);
  if (ids.length === 0 || ids.length > PAGE_MAX) return invalid('video_ids is not valid.');
  const found = state.posts.publicOf(account.id).filter(({ id }) => ids.includes(id));
  return okResponse({
    videos: found.map((post) => pickFields(presentPost(post, account), requestedFields(query))),
  });
}

const presentPost = (post: TikTokPost, { username }: TikTokAccount) => ({
  id: post.id,
  create_time: Math.floor(post.createdAt.getTime() / 1_000),
  title: post.title,
  video_description: post.kind === 'photo' ? post.description : post.title,
  share_url: `https://www.tiktok.com/@${username}/${post.kind}/${post.id}?utm_campaign=tt4d_open_api`,
  duration: 1,
  view_count: 120,
  like_count: 3,
  comment_count: 2,
  share_count: 4,
});
