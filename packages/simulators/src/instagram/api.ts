import type { SocialAccount } from '../wire/simulator.js';
import { okResponse, type SimulatedResponse, type WireRequest, type WireResponse } from '../wire/exchange.js';
import { unreadyChildren, filesOf, type ContainerStore } from '../meta/container-store.js';
import type { Route, RoutedRequest, Routes } from '../wire/routes.js';
import type { FetchFile } from '../meta/fetched-file.js';
import * as graph from '../meta/graph.js';
import type { InstagramMedia, MediaStore } from './media-store.js';
import {
  presentAccount,
  presentAccountOfPage,
  presentComment,
  presentInsights,
  presentMedia,
} from './present.js';
import { readContainer } from './read-container.js';

const VERSION = /^v2[0-9]\.0$/;
const COMMENT_MAX = 2_200;
const DAY_SECONDS = 86_400;

const mediaExpired = graph.graphRefusal({
  message: 'The requested resource does not exist',
  code: 24,
  subcode: 2_207_008,
  forPeople: 'The media builder with this creation id does not exist or is expired.',
});
const notReady = graph.graphRefusal({
  message: 'Media ID is not available',
  code: 9_007,
  subcode: 2_207_027,
  forPeople: 'The media is not ready for publishing, please wait for a moment',
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

/** The caller, through Instagram's own login or through that of its page. */
export interface InstagramOwner extends graph.GraphBearer {
  readonly login?: 'page';
}
export interface InstagramState {
  readonly accounts: ReadonlyMap<string, SocialAccount>;
  readonly media: MediaStore;
  readonly containers: ContainerStore;
  readonly fetchFile: FetchFile;
  postsPerDay: number;
}
type InstagramRequest = RoutedRequest<InstagramOwner>;
type InstagramRoute<Reply extends SimulatedResponse> = Route<InstagramState, InstagramOwner, Reply>;

const requiredOf = ({ login }: InstagramOwner) => REQUIRED_PERMISSIONS[login ?? 'own'];
const may =
  <Reply extends SimulatedResponse>(
    what: 'publish' | 'comments' | 'insights',
    route: InstagramRoute<Reply>,
  ): InstagramRoute<Reply | WireResponse> =>
  (state, request) =>
    request.owner.permissions.includes(requiredOf(request.owner)[what])
      ? route(state, request)
      : graph.notPermitted;

/** Why a request is not routed at all; null: it is. */
export function refuseInstagram({ path }: WireRequest, owner: InstagramOwner): WireResponse | null {
  if (!VERSION.test(path.split('/')[1] ?? '')) return graph.unknownPath;
  return requiredOf(owner).all.every((one) => owner.permissions.includes(one)) ? null : graph.notPermitted;
}

/** The Instagram API for a logged-in user. `me` is the account itself. */
export const instagramRoutes: Routes<InstagramState, InstagramOwner, SimulatedResponse> = {
  'GET /:version/me': (state, { query, owner }) =>
    graph.selectFields(
      (owner.login === 'page' ? presentAccountOfPage : presentAccount)(accountOf(state, owner)),
      query.get('fields'),
    ),
  'GET /:version/me/content_publishing_limit': may('publish', readLimit),
  'GET /:version/me/:edge': may('publish', listMedia),
  'POST /:version/me/media': may('publish', createContainer),
  'POST /:version/me/media_publish': may('publish', publishContainer),
  'GET /:version/:id': readObject,
  'GET /:version/:id/insights': may('insights', (state, request) =>
    withMedia(state, request, (one) => readInsights(one, request.query)),
  ),
  'GET /:version/:id/comments': may('comments', (state, request) =>
    withMedia(state, request, ({ id }, account) =>
      graph.pageOfFields(
        state.media.commentsOf(id).map((each) => presentComment(account, each)),
        request.query,
      ),
    ),
  ),
  'POST /:version/:id/comments': may('comments', (state, request) =>
    withMedia(state, request, (one) => createComment(state, request, one)),
  ),
  'DELETE /:version/:id': deleteObject,
};

const accountOf = ({ accounts }: InstagramState, { accountId }: InstagramOwner) =>
  accounts.get(accountId) as SocialAccount;

function listMedia(state: InstagramState, { params, query, owner }: InstagramRequest): WireResponse {
  const { edge } = params;
  if (edge !== 'media' && edge !== 'stories') return graph.unknownPath;
  const rows = state.media.of(owner.accountId, edge).map((one) => presentMedia(accountOf(state, owner), one));
  return graph.pageOfFields(rows, query);
}

function readLimit({ media, postsPerDay }: InstagramState, { query, owner }: InstagramRequest): WireResponse {
  const config = { quota_total: postsPerDay, quota_duration: DAY_SECONDS };
  const row = { id: undefined, quota_usage: media.usage(owner.accountId), config };
  const requested = graph.selectFields(row, query.get('fields') ?? 'quota_usage');
  return requested.status === 200 ? okResponse({ data: [requested.json] }) : requested;
}

async function createContainer(
  { containers, fetchFile }: InstagramState,
  request: InstagramRequest,
): Promise<WireResponse> {
  const { accountId } = request.owner;
  const fields = graph.parametersOf(request);
  const created = await readContainer(fields, fetchFile);
  if ('status' in created) return created;
  const unready = unreadyChildren(containers, accountId, fields);
  if (unready) return unready;
  return okResponse({ id: containers.add({ accountId, fields, ...created }).id });
}

function publishContainer(
  { containers, media, postsPerDay }: InstagramState,
  request: InstagramRequest,
): WireResponse {
  const { accountId } = request.owner;
  const one = containers.find(accountId, graph.parametersOf(request)['creation_id'] ?? '');
  const state = one && containers.stateOf(one);
  if (!one || state === 'EXPIRED' || state === 'PUBLISHED') return mediaExpired;
  if (state !== 'FINISHED' || one.fields['is_carousel_item'] === 'true') return notReady;
  if (media.usage(accountId) >= postsPerDay) return graph.limitReached;
  containers.publish(one);
  const { media_type: type, caption = '', share_to_feed: shares } = one.fields;
  const product = type === 'STORIES' ? 'STORY' : type === 'REELS' ? 'REELS' : 'FEED';
  const created = media.publish({
    accountId,
    product,
    files: filesOf(containers, one),
    caption: product === 'STORY' ? '' : caption,
    sharedToFeed: product === 'REELS' ? shares !== 'false' : null,
  });
  return okResponse({ id: created.id });
}

/** Responds for a post of the caller; anything else does not exist. */
function withMedia(
  state: InstagramState,
  { params, method, owner }: InstagramRequest,
  respond: (one: InstagramMedia, account: SocialAccount) => WireResponse,
): WireResponse {
  const one = state.media.find(params['id'] ?? '');
  return one?.accountId === owner.accountId
    ? respond(one, accountOf(state, owner))
    : graph.objectNotFound(params['id'] ?? '', method);
}

/** A comment below a post of the caller. */
function ownComment({ media }: InstagramState, { params, owner }: InstagramRequest) {
  const comment = media.comment(params['id'] ?? '');
  return comment && media.find(comment.mediaId)?.accountId === owner.accountId ? comment : null;
}

function readObject(state: InstagramState, request: InstagramRequest): WireResponse {
  const { query, owner, params } = request;
  const { containers } = state;
  const container = containers.find(owner.accountId, params['id'] ?? '');
  if (container) {
    const status_code = containers.stateOf(container);
    containers.look(container);
    const status = status_code === 'ERROR' ? (container.error ?? 'Error') : `${status_code}: Media is fine.`;
    return graph.selectFields({ id: container.id, status_code, status }, query.get('fields'));
  }
  const comment = ownComment(state, request);
  if (!comment) {
    return withMedia(state, request, (one, account) =>
      graph.selectFields(presentMedia(account, one), query.get('fields')),
    );
  }
  return owner.permissions.includes(requiredOf(owner).comments)
    ? graph.selectFields(presentComment(accountOf(state, owner), comment), query.get('fields'))
    : graph.notPermitted;
}

function deleteObject(state: InstagramState, request: InstagramRequest): WireResponse {
  const { owner, method } = request;
  const { comments, remove: permission } = requiredOf(owner);
  const comment = ownComment(state, request);
  if (comment) return owner.permissions.includes(comments) ? remove(state, comment.id) : graph.notPermitted;
  if (permission !== null && !owner.permissions.includes(permission)) return graph.notPermitted;
  return withMedia(state, request, ({ id }) =>
    permission === null ? graph.objectNotFound(id, method) : remove(state, id),
  );
}

function createComment(
  { media }: InstagramState,
  request: InstagramRequest,
  one: InstagramMedia,
): WireResponse {
  const { accountId } = request.owner;
  const { message = '' } = graph.parametersOf(request);
  if (one.product === 'STORY') return graph.badParameter('Comments are not available on this media');
  if (message.trim() === '') return graph.badParameter('The parameter message is required');
  if (message.length > COMMENT_MAX) return graph.badParameter('Param message is too long');
  return okResponse({ id: media.write({ mediaId: one.id, accountId, text: message }).id });
}

function readInsights(one: InstagramMedia, query: URLSearchParams): WireResponse {
  const reported = presentInsights(one, (query.get('metric') ?? '').split(','));
  return 'data' in reported
    ? okResponse(reported)
    : graph.badParameter(`Incompatible or unknown metric: ${reported.unfitting} for this media product type`);
}

/**
 * https://developers.facebook.com/documentation/instagram-platform/reference/instagram-media#delete,
 * updated on 2026-06-22.
 */
function remove({ media }: InstagramState, id: string): WireResponse {
  media.hide(id);
  return okResponse({ success: true, deleted_id: id });
}
