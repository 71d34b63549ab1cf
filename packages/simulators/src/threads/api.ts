import type { SocialAccount } from '../wire/simulator.js';
import { okResponse, type SimulatedResponse, type WireResponse } from '../wire/exchange.js';
import { unreadyChildren, filesOf, type ContainerStore } from '../meta/container-store.js';
import type { RoutedRequest, Routes } from '../wire/routes.js';
import type { FetchFile } from '../meta/fetched-file.js';
import * as graph from '../meta/graph.js';
import type { PostStore, ThreadsPost } from './post-store.js';
import { presentAccount, presentInsights, presentPost } from './present.js';
import { readContainer } from './read-container.js';

export type ThreadsLimits = Readonly<ReturnType<PostStore['usage']>>;

const DAY_SECONDS = 86_400;

const mediaNotFound = graph.graphRefusal({
  message: 'The requested resource does not exist',
  code: 24,
  subcode: 4_279_009,
  forPeople: 'The media with this id cannot be found.',
});

export interface ThreadsState {
  readonly accounts: ReadonlyMap<string, SocialAccount>;
  readonly posts: PostStore;
  readonly containers: ContainerStore;
  readonly fetchFile: FetchFile;
  limits: ThreadsLimits;
}
type ThreadsRequest = RoutedRequest<graph.GraphBearer>;

const accountOf = ({ accounts }: ThreadsState, id: string) => accounts.get(id) as SocialAccount;
const quota = (limit: number) => ({ quota_total: limit, quota_duration: DAY_SECONDS });

/** The Graph API of Threads for a logged-in user. */
export const threadsRoutes: Routes<ThreadsState, graph.GraphBearer, SimulatedResponse> = {
  'GET /v1.0/me': (state, { query, owner }) =>
    graph.selectFields(presentAccount(accountOf(state, owner.accountId)), query.get('fields')),
  'GET /v1.0/me/threads': graph.needsPermission('threads_content_publish', (state, request) =>
    listPosts(state, request, 'posts'),
  ),
  'GET /v1.0/me/replies': graph.needsPermission('threads_read_replies', (state, request) =>
    listPosts(state, request, 'replies'),
  ),
  'GET /v1.0/me/threads_publishing_limit': graph.needsPermission('threads_content_publish', readLimits),
  'GET /v1.0/me/threads_insights': graph.needsPermission('threads_manage_insights', readAccountInsights),
  'POST /v1.0/me/threads': graph.needsPermission('threads_content_publish', (state, request) =>
    'reply_to_id' in graph.parametersOf(request) &&
    !request.owner.permissions.includes('threads_manage_replies')
      ? graph.notPermitted
      : createContainer(state, request),
  ),
  'POST /v1.0/me/threads_publish': graph.needsPermission('threads_content_publish', publishContainer),
  'GET /v1.0/:id': readObject,
  'GET /v1.0/:id/insights': graph.needsPermission('threads_manage_insights', readInsights),
  'DELETE /v1.0/:id': graph.needsPermission('threads_delete', deletePost),
};

async function createContainer(
  { posts, containers, fetchFile }: ThreadsState,
  request: ThreadsRequest,
): Promise<WireResponse> {
  const { accountId } = request.owner;
  const fields = graph.parametersOf(request);
  const created = await readContainer(fields, fetchFile);
  if ('status' in created) return created;
  const unready = unreadyChildren(containers, accountId, fields);
  if (unready) return unready;
  const repliedTo = fields['reply_to_id'];
  if (repliedTo !== undefined && !posts.find(repliedTo)) return graph.objectNotFound(repliedTo, 'POST');
  return okResponse({ id: containers.add({ accountId, fields, ...created }).id });
}

function publishContainer(state: ThreadsState, request: ThreadsRequest): WireResponse {
  const { posts, containers, limits } = state;
  const { accountId } = request.owner;
  const one = containers.find(accountId, graph.parametersOf(request)['creation_id'] ?? '');
  if (!one || containers.stateOf(one) !== 'FINISHED' || one.fields['is_carousel_item'] === 'true') {
    return mediaNotFound;
  }
  const repliedTo = one.fields['reply_to_id'] ?? null;
  const parent = repliedTo === null ? null : posts.find(repliedTo);
  if (repliedTo !== null && !parent) return mediaNotFound;
  const usage = posts.usage(accountId);
  const isFull = parent ? usage.replies >= limits.replies : usage.posts >= limits.posts;
  if (isFull) return graph.limitReached;
  containers.publish(one);
  const created = posts.create({
    accountId,
    text: one.fields['text'] ?? '',
    files: filesOf(containers, one),
    link: one.fields['link_attachment'] ?? null,
    topic: one.fields['topic_tag'] ?? null,
    audience: one.fields['reply_control'] ?? 'everyone',
    repliedTo,
    root: parent && (parent.root ?? parent.id),
  });
  return okResponse({ id: created.id });
}

function listPosts(
  state: ThreadsState,
  { query, owner }: ThreadsRequest,
  kind: 'posts' | 'replies',
): WireResponse {
  const sinceMs = Number(query.get('since') ?? 0) * 1_000;
  const found = state.posts
    .of(owner.accountId, kind)
    .filter(({ createdAt }) => createdAt.getTime() >= sinceMs);
  return graph.pageOfFields(
    found.map((post) => presentPost(accountOf(state, owner.accountId), post)),
    query,
  );
}

function readLimits({ posts, limits }: ThreadsState, { query, owner }: ThreadsRequest): WireResponse {
  const used = posts.usage(owner.accountId);
  const row = {
    id: undefined,
    quota_usage: used.posts,
    config: quota(limits.posts),
    reply_quota_usage: used.replies,
    reply_config: quota(limits.replies),
  };
  const requested = graph.selectFields(row, query.get('fields') ?? 'quota_usage');
  return requested.status === 200 ? okResponse({ data: [requested.json] }) : requested;
}

function readAccountInsights({ accounts }: ThreadsState, { query, owner }: ThreadsRequest): WireResponse {
  const { accountId } = owner;
  if (query.get('metric') !== 'followers_count')
    return graph.badParameter('metric[0] must be one of: followers_count');
  const title = { title: 'followers_count', description: 'Your total number of followers on Threads.' };
  const value = { total_value: { value: accounts.get(accountId)?.followers } };
  const id = `${accountId}/insights/followers_count/day`;
  return okResponse({ data: [{ name: 'followers_count', period: 'day', ...title, ...value, id }] });
}

const ownPost = ({ posts }: ThreadsState, { params, owner }: ThreadsRequest): ThreadsPost | null => {
  const found = posts.find(params['id'] ?? '');
  return found?.accountId === owner.accountId ? found : null;
};
const missing = ({ params, method }: ThreadsRequest) => graph.objectNotFound(params['id'] ?? '', method);

function readObject(state: ThreadsState, request: ThreadsRequest): WireResponse {
  const { query, owner, params } = request;
  const container = state.containers.find(owner.accountId, params['id'] ?? '');
  if (!container) {
    const post = ownPost(state, request);
    const account = accountOf(state, owner.accountId);
    return post ? graph.selectFields(presentPost(account, post), query.get('fields')) : missing(request);
  }
  const status = state.containers.stateOf(container);
  state.containers.look(container);
  const error_message = status === 'ERROR' ? (container.error ?? undefined) : undefined;
  return graph.selectFields({ id: container.id, status, error_message }, query.get('fields'));
}

function readInsights(state: ThreadsState, request: ThreadsRequest): WireResponse {
  const post = ownPost(state, request);
  if (!post) return missing(request);
  const insights = presentInsights(post.id, (request.query.get('metric') ?? '').split(','));
  return insights
    ? okResponse(insights)
    : graph.badParameter('metric[0] must be one of the following values');
}

function deletePost(state: ThreadsState, request: ThreadsRequest): WireResponse {
  const post = ownPost(state, request);
  if (!post) return missing(request);
  if (state.posts.usage(request.owner.accountId).deletes >= state.limits.deletes) return graph.limitReached;
  state.posts.remove(post.id);
  return okResponse({ success: true, deleted_id: post.id });
}
