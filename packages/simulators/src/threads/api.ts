import { okResponse, type WireResponse, type WireRequest } from '../wire/exchange.js';
import type { Container, ContainerStore } from '../meta/container-store.js';
import type { FetchFile } from '../meta/fetched-file.js';
import {
  badParameter,
  selectFields,
  graphRefusal,
  objectNotFound,
  notPermitted,
  pageOf,
  parametersOf,
  unknownPath,
  type GraphBearer,
} from '../meta/graph.js';
import type { PostStore, ThreadsFile, ThreadsPost } from './post-store.js';
import { presentAccount, presentInsights, presentPost, type ThreadsAccount } from './present.js';
import { childrenOf, readContainer } from './read-container.js';

export interface ThreadsLimits {
  readonly posts: number;
  readonly replies: number;
  readonly deletes: number;
}

export interface ApiWorld {
  readonly accounts: ReadonlyMap<string, ThreadsAccount>;
  readonly posts: PostStore;
  readonly containers: ContainerStore;
  readonly limits: () => ThreadsLimits;
  readonly fetchFile: FetchFile;
}

const VERSION = 'v1.0';
const DAY_SECONDS = 86_400;

const mediaNotFound = graphRefusal({
  message: 'The requested resource does not exist',
  code: 24,
  subcode: 4_279_009,
  forPeople: 'The media with this id cannot be found.',
});
const limitReached = graphRefusal({
  message: 'Application request limit reached',
  code: 9,
  subcode: 2_207_042,
  forPeople: 'You reached maximum number of posts that is allowed to be published by Content Publishing API.',
});

/** The Graph API of Threads for a logged-in user. */
export function threadsApi({ accounts, posts, containers, limits, fetchFile }: ApiWorld) {
  const accountOf = (id: string) => accounts.get(id) as ThreadsAccount;
  const quota = (limit: number) => ({ quota_total: limit, quota_duration: DAY_SECONDS });

  async function create(request: WireRequest, accountId: string): Promise<WireResponse> {
    const fields = parametersOf(request);
    const created = await readContainer(fields, fetchFile);
    if ('status' in created) return created;
    const children = childrenOf(fields).map((id) => containers.find(accountId, id));
    const isReady = children.every(
      (one) => one?.fields['is_carousel_item'] === 'true' && containers.stateOf(one) === 'FINISHED',
    );
    if (!isReady) return badParameter('Param children has an id that is no carousel item ready to publish');
    const repliedTo = fields['reply_to_id'];
    if (repliedTo !== undefined && !posts.find(repliedTo)) return objectNotFound(repliedTo, 'POST');
    return okResponse({ id: containers.add({ accountId, fields, ...created }).id });
  }

  function publish(request: WireRequest, accountId: string): WireResponse {
    const one = containers.find(accountId, parametersOf(request)['creation_id'] ?? '');
    if (!one || containers.stateOf(one) !== 'FINISHED' || one.fields['is_carousel_item'] === 'true') {
      return mediaNotFound;
    }
    const repliedTo = one.fields['reply_to_id'] ?? null;
    const parent = repliedTo === null ? null : posts.find(repliedTo);
    if (repliedTo !== null && !parent) return mediaNotFound;
    const usage = posts.usage(accountId);
    const isFull = parent ? usage.replies >= limits().replies : usage.posts >= limits().posts;
    if (isFull) return limitReached;
    containers.publish(one);
    const created = posts.publish({
      accountId,
      text: one.fields['text'] ?? '',
      files: filesOf(accountId, one),
      link: one.fields['link_attachment'] ?? null,
      topic: one.fields['topic_tag'] ?? null,
      audience: one.fields['reply_control'] ?? 'everyone',
      repliedTo,
      root: parent && (parent.root ?? parent.id),
    });
    return okResponse({ id: created.id });
  }

  function filesOf(accountId: string, one: Container): readonly ThreadsFile[] {
    const children = childrenOf(one.fields).flatMap((id) => containers.find(accountId, id) ?? []);
    return [one, ...children].flatMap(({ files, fields }) =>
      files.map((file) => ({
        ...file,
        url: fields['image_url'] ?? fields['video_url'] ?? '',
        altText: fields['alt_text'] ?? null,
      })),
    );
  }

  function list(query: URLSearchParams, accountId: string, kind: 'posts' | 'replies'): WireResponse {
    const sinceMs = Number(query.get('since') ?? 0) * 1_000;
    const found = posts.of(accountId, kind).filter(({ publishedAt }) => publishedAt.getTime() >= sinceMs);
    const rows = found.map((post) =>
      selectFields(presentPost(accountOf(accountId), post), query.get('fields')),
    );
    return (
      rows.find(({ status }) => status !== 200) ??
      pageOf(
        rows.map(({ json }) => json),
        query,
      )
    );
  }

  function usageOf(query: URLSearchParams, accountId: string): WireResponse {
    const used = posts.usage(accountId);
    const row = {
      id: undefined,
      quota_usage: used.posts,
      config: quota(limits().posts),
      reply_quota_usage: used.replies,
      reply_config: quota(limits().replies),
      delete_quota_usage: used.deletes,
      delete_config: quota(limits().deletes),
    };
    const requested = selectFields(row, query.get('fields') ?? 'quota_usage');
    return requested.status === 200 ? okResponse({ data: [requested.json] }) : requested;
  }

  function insightsOfAccount(query: URLSearchParams, accountId: string): WireResponse {
    if (query.get('metric') !== 'followers_count')
      return badParameter('metric[0] must be one of: followers_count');
    const title = { title: 'followers_count', description: 'Your total number of followers on Threads.' };
    const value = { total_value: { value: accountOf(accountId).followers } };
    const id = `${accountId}/insights/followers_count/day`;
    return okResponse({ data: [{ name: 'followers_count', period: 'day', ...title, ...value, id }] });
  }

  function ofAccount(
    request: WireRequest,
    { accountId, permissions }: GraphBearer,
    edge: string,
  ): WireResponse | Promise<WireResponse> {
    const { method, query } = request;
    const may = (permission: string, then: () => WireResponse | Promise<WireResponse>) =>
      permissions.includes(permission) ? then() : notPermitted;
    switch (`${method} ${edge}`.trim()) {
      case 'GET':
        return selectFields(presentAccount(accountOf(accountId)), query.get('fields'));
      case 'GET threads':
        return may('threads_content_publish', () => list(query, accountId, 'posts'));
      case 'GET replies':
        return may('threads_read_replies', () => list(query, accountId, 'replies'));
      case 'GET threads_publishing_limit':
        return may('threads_content_publish', () => usageOf(query, accountId));
      case 'GET threads_insights':
        return may('threads_manage_insights', () => insightsOfAccount(query, accountId));
      case 'POST threads':
        return may('threads_content_publish', () =>
          'reply_to_id' in parametersOf(request)
            ? may('threads_manage_replies', () => create(request, accountId))
            : create(request, accountId),
        );
      case 'POST threads_publish':
        return may('threads_content_publish', () => publish(request, accountId));
      default:
        return unknownPath;
    }
  }

  function ofObject(
    { method, query }: WireRequest,
    bearer: GraphBearer,
    id: string,
    edge: string,
  ): WireResponse {
    const { accountId, permissions } = bearer;
    const found = posts.find(id);
    const post: ThreadsPost | null = found?.accountId === accountId ? found : null;
    const missing = objectNotFound(id, method);
    switch (`${method} ${edge}`.trim()) {
      case 'GET': {
        const container = containers.find(accountId, id);
        if (!container) {
          return post ? selectFields(presentPost(accountOf(accountId), post), query.get('fields')) : missing;
        }
        const status = containers.stateOf(container);
        containers.look(container);
        const error_message = status === 'ERROR' ? (container.error ?? undefined) : undefined;
        return selectFields({ id, status, error_message }, query.get('fields'));
      }
      case 'GET insights': {
        if (!permissions.includes('threads_manage_insights')) return notPermitted;
        if (!post) return missing;
        const insights = presentInsights(id, (query.get('metric') ?? '').split(','));
        return insights
          ? okResponse(insights)
          : badParameter('metric[0] must be one of the following values');
      }
      case 'DELETE':
        if (!permissions.includes('threads_delete')) return notPermitted;
        if (!post) return missing;
        if (posts.usage(accountId).deletes >= limits().deletes) return limitReached;
        posts.remove(id);
        return okResponse({ success: true, deleted_id: id });
      default:
        return unknownPath;
    }
  }

  return {
    serve(request: WireRequest, bearer: GraphBearer): WireResponse | Promise<WireResponse> {
      const [, version, node = '', edge = '', more] = request.path.split('/');
      if (version !== VERSION || node === '' || more !== undefined) return unknownPath;
      if (!bearer.permissions.includes('threads_basic')) return notPermitted;
      return node === 'me' || node === bearer.accountId
        ? ofAccount(request, bearer, edge)
        : ofObject(request, bearer, node, edge);
    },
  };
}
