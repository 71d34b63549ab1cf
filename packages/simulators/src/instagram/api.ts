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
import type { InstagramFile, InstagramMedia, MediaStore } from './media-store.js';
import {
  presentAccount,
  presentAccountOfPage,
  presentComment,
  presentInsights,
  presentMedia,
  type InstagramAccount,
} from './present.js';
import { childrenOf, readContainer } from './read-container.js';

export interface ApiWorld {
  readonly accounts: ReadonlyMap<string, InstagramAccount>;
  readonly media: MediaStore;
  readonly containers: ContainerStore;
  readonly postsPerDay: () => number;
  readonly fetchFile: FetchFile;
}

const VERSION = /^v2[0-9]\.0$/;
const COMMENT_MAX = 2_200;
const DAY_SECONDS = 86_400;

const mediaExpired = graphRefusal({
  message: 'The requested resource does not exist',
  code: 24,
  subcode: 2_207_008,
  forPeople: 'The media builder with this creation id does not exist or is expired.',
});
const notReady = graphRefusal({
  message: 'Media ID is not available',
  code: 9_007,
  subcode: 2_207_027,
  forPeople: 'The media is not ready for publishing, please wait for a moment',
});
const limitReached = graphRefusal({
  message: 'Application request limit reached',
  code: 9,
  subcode: 2_207_042,
  forPeople: 'You reached maximum number of posts that is allowed to be published by Content Publishing API.',
});

/** The scopes that each login requires: Instagram's own, and that of a page. The former cannot delete. */
const REQUIRED_PERMISSIONS = {
  own: {
    all: ['instagram_business_basic'],
    publish: 'instagram_business_content_publish',
    comments: 'instagram_business_manage_comments',
    insights: 'instagram_business_manage_insights',
    remove: null,
  },
  page: {
    all: ['instagram_basic', 'pages_read_engagement'],
    publish: 'instagram_content_publish',
    comments: 'instagram_manage_comments',
    insights: 'instagram_manage_insights',
    remove: 'instagram_manage_contents',
  },
} as const;
type LoginKind = keyof typeof REQUIRED_PERMISSIONS;

/** The Instagram API for a logged-in user. */
export function instagramApi({ accounts, media, containers, postsPerDay, fetchFile }: ApiWorld) {
  const accountOf = (id: string) => accounts.get(id) as InstagramAccount;

  async function create(request: WireRequest, accountId: string): Promise<WireResponse> {
    const fields = parametersOf(request);
    const created = await readContainer(fields, fetchFile);
    if ('status' in created) return created;
    const children = childrenOf(fields).map((id) => containers.find(accountId, id));
    const isReady = children.every(
      (one) => one?.fields['is_carousel_item'] === 'true' && containers.stateOf(one) === 'FINISHED',
    );
    if (!isReady) return badParameter('Param children has an id that is no carousel item ready to publish');
    return okResponse({ id: containers.add({ accountId, fields, ...created }).id });
  }

  function publish(request: WireRequest, accountId: string): WireResponse {
    const one = containers.find(accountId, parametersOf(request)['creation_id'] ?? '');
    const state = one && containers.stateOf(one);
    if (!one || state === 'EXPIRED' || state === 'PUBLISHED') return mediaExpired;
    if (state !== 'FINISHED' || one.fields['is_carousel_item'] === 'true') return notReady;
    if (media.usage(accountId) >= postsPerDay()) return limitReached;
    containers.publish(one);
    const { media_type: type, caption = '', share_to_feed: shares } = one.fields;
    const product = type === 'STORIES' ? 'STORY' : type === 'REELS' ? 'REELS' : 'FEED';
    const created = media.publish({
      accountId,
      product,
      files: filesOf(accountId, one),
      caption: product === 'STORY' ? '' : caption,
      sharedToFeed: product === 'REELS' ? shares !== 'false' : null,
    });
    return okResponse({ id: created.id });
  }

  function filesOf(accountId: string, one: Container): readonly InstagramFile[] {
    const children = childrenOf(one.fields).flatMap((id) => containers.find(accountId, id) ?? []);
    return [one, ...children].flatMap(({ files, fields }) =>
      files.map((file) => ({
        ...file,
        url: fields['image_url'] ?? fields['video_url'] ?? '',
        altText: fields['alt_text'] ?? null,
      })),
    );
  }

  function rowsOf(rows: readonly Readonly<Record<string, unknown>>[], query: URLSearchParams): WireResponse {
    const read = rows.map((row) => selectFields(row, query.get('fields')));
    return (
      read.find(({ status }) => status !== 200) ??
      pageOf(
        read.map(({ json }) => json),
        query,
      )
    );
  }

  function comment(request: WireRequest, accountId: string, one: InstagramMedia): WireResponse {
    const { message = '' } = parametersOf(request);
    if (one.product === 'STORY') return badParameter('Comments are not available on this media');
    if (message.trim() === '') return badParameter('The parameter message is required');
    if (message.length > COMMENT_MAX) return badParameter('Param message is too long');
    return okResponse({ id: media.write({ mediaId: one.id, accountId, text: message }).id });
  }

  function insights(one: InstagramMedia, query: URLSearchParams): WireResponse {
    const reported = presentInsights(one, (query.get('metric') ?? '').split(','));
    return 'data' in reported
      ? okResponse(reported)
      : badParameter(`Incompatible or unknown metric: ${reported.unfitting} for this media product type`);
  }

  /**
   * https://developers.facebook.com/documentation/instagram-platform/reference/instagram-media#delete,
   * updated on 2026-06-22.
   */
  function removed(id: string): WireResponse {
    media.hide(id);
    return okResponse({ success: true, deleted_id: id });
  }

  function ofAccount(
    request: WireRequest,
    bearer: GraphBearer,
    login: LoginKind,
    edge: string,
  ): WireResponse | Promise<WireResponse> {
    const { method, query } = request;
    const { accountId, permissions } = bearer;
    const may = (then: () => WireResponse | Promise<WireResponse>) =>
      permissions.includes(REQUIRED_PERMISSIONS[login].publish) ? then() : notPermitted;
    switch (`${method} ${edge}`.trim()) {
      case 'GET':
        return selectFields(
          (login === 'own' ? presentAccount : presentAccountOfPage)(accountOf(accountId)),
          query.get('fields'),
        );
      case 'GET media':
      case 'GET stories':
        return may(() =>
          rowsOf(
            media
              .of(accountId, edge as 'media' | 'stories')
              .map((one) => presentMedia(accountOf(accountId), one)),
            query,
          ),
        );
      case 'GET content_publishing_limit':
        return may(() => {
          const config = { quota_total: postsPerDay(), quota_duration: DAY_SECONDS };
          const row = { id: undefined, quota_usage: media.usage(accountId), config };
          const requested = selectFields(row, query.get('fields') ?? 'quota_usage');
          return requested.status === 200 ? okResponse({ data: [requested.json] }) : requested;
        });
      case 'POST media':
        return may(() => create(request, accountId));
      case 'POST media_publish':
        return may(() => publish(request, accountId));
      default:
        return unknownPath;
    }
  }

  function ofObject(
    request: WireRequest,
    { accountId, permissions }: GraphBearer,
    login: LoginKind,
    id: string,
    edge: string,
  ): WireResponse {
    const { method, query } = request;
    const container = containers.find(accountId, id);
    if (container && method === 'GET' && edge === '') {
      const status_code = containers.stateOf(container);
      containers.look(container);
      const status =
        status_code === 'ERROR' ? (container.error ?? 'Error') : `${status_code}: Media is fine.`;
      return selectFields({ id, status_code, status }, query.get('fields'));
    }
    const { insights: counting, comments: commenting, remove } = REQUIRED_PERMISSIONS[login];
    const needed: Readonly<Record<string, string>> = { insights: counting, comments: commenting };
    const permission = needed[edge];
    if (permission !== undefined && !permissions.includes(permission)) return notPermitted;
    const stated = media.comment(id);
    if (stated && edge === '' && media.find(stated.mediaId)?.accountId === accountId) {
      if (!permissions.includes(commenting)) return notPermitted;
      return method === 'DELETE'
        ? removed(id)
        : selectFields(presentComment(accountOf(accountId), stated), query.get('fields'));
    }
    if (method === 'DELETE' && remove !== null && !permissions.includes(remove)) return notPermitted;
    const one = media.find(id);
    if (one?.accountId !== accountId) return objectNotFound(id, method);
    const account = accountOf(accountId);
    switch (`${method} ${edge}`.trim()) {
      case 'GET':
        return selectFields(presentMedia(account, one), query.get('fields'));
      case 'GET insights':
        return insights(one, query);
      case 'GET comments':
        return rowsOf(
          media.commentsOf(id).map((each) => presentComment(account, each)),
          query,
        );
      case 'POST comments':
        return comment(request, accountId, one);
      case 'DELETE':
        return remove === null ? objectNotFound(id, method) : removed(id);
      default:
        return objectNotFound(id, method);
    }
  }

  return {
    serve(
      request: WireRequest,
      bearer: GraphBearer,
      login: LoginKind = 'own',
    ): WireResponse | Promise<WireResponse> {
      const [, version = '', node = '', edge = '', more] = request.path.split('/');
      if (!VERSION.test(version) || node === '' || more !== undefined) return unknownPath;
      if (!REQUIRED_PERMISSIONS[login].all.every((one) => bearer.permissions.includes(one)))
        return notPermitted;
      return (node === 'me' && login === 'own') || node === bearer.accountId
        ? ofAccount(request, bearer, login, edge)
        : ofObject(request, bearer, login, node, edge);
    },
  };
}

export type InstagramApi = ReturnType<typeof instagramApi>;
