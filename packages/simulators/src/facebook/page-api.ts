import type { Route, RoutedRequest, Routes } from '../wire/routes.js';
import { okResponse, fieldsOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import type { FormFile } from '../wire/read-multipart.js';
import { parseFetchedFile } from '../meta/fetched-file.js';
import * as graph from '../meta/graph.js';
import type { PageWorld } from './network.js';
import type { PageFile } from './page-store.js';
import {
  presentComment,
  presentVideo,
  presentVideoInsights,
  presentInsights,
  presentPage,
  presentPost,
  type FacebookPage,
} from './present.js';

const MESSAGE_MAX = 63_206;
const COMMENT_MAX = 8_000;
const ALT_TEXT_MAX = 1_000;
const PHOTOS_MAX = 10;
const PHOTO_BYTES_MAX = 4_000_000;
const PHOTO_TYPES = ['image/jpeg', 'image/png'];

const empty = graph.graphRefusal({
  message: '(#197) The post is empty. Please enter a message to share.',
  code: 197,
});
const duplicate = graph.graphRefusal({
  message: '(#506) Duplicate status message',
  code: 506,
  subcode: 1_455_006,
  forPeople: 'This status update is identical to the last one you posted. Try posting something different.',
});
const badPhoto = graph.graphRefusal({
  message: 'Invalid parameter',
  code: 100,
  subcode: 1_366_046,
  forPeople:
    'Your photos couldn’t be uploaded. Photos should be smaller than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.',
});
const noInsights = graph.badParameter('Tried accessing nonexisting field (insights) on node type (Video)');

const isFile = (value: unknown): value is FormFile =>
  typeof value === 'object' && value !== null && (value as Partial<FormFile>).bytes instanceof Uint8Array;
const fileIn = ({ body }: WireRequest, name: string): FormFile | undefined => {
  const value = fieldsOf(body)[name];
  return isFile(value) ? value : undefined;
};

type PageRequest = RoutedRequest<graph.GraphBearer>;
type PageRoute = Route<PageWorld, graph.GraphBearer>;
const publishes = (route: PageRoute) => graph.needsPermission('pages_manage_posts', route);

/** For these, the documentation specifies the same error for missing objects and missing permissions. */
const hiddenWithout =
  (permission: string, route: PageRoute): PageRoute =>
  (world, request) =>
    request.owner.permissions.includes(permission)
      ? route(world, request)
      : graph.objectNotFound(request.params['id'] ?? '', request.method);

/**
 * The page API with a page token: https://developers.facebook.com/documentation/pages-api. `me` is the page
 * itself.
 */
export const pageRoutes: Routes<PageWorld, graph.GraphBearer> = {
  'GET /:version/me': ({ pages }, { query, owner }) =>
    graph.selectFields(presentPage(pages.get(owner.accountId) as FacebookPage), query.get('fields')),
  'GET /:version/me/accounts': () =>
    graph.badParameter('Tried accessing nonexisting field (accounts) on node type (Page)'),
  'GET /:version/me/published_posts': graph.needsPermission(
    'pages_read_engagement',
    ({ book }, { query, owner }) => graph.pageOfFields(book.postsOf(owner.accountId).map(presentPost), query),
  ),
  'POST /:version/me/feed': publishes(publish),
  'POST /:version/me/photos': publishes(keepPhoto),
  'POST /:version/me/videos': publishes(({ videos }, request) =>
    videos.serve(request.owner.accountId, graph.parametersOf(request), fileIn(request, 'video_file_chunk')),
  ),
  'POST /:version/me/video_reels': publishes(({ reels }, request) =>
    reels.serve(request.owner.accountId, request.params['version'] ?? '', graph.parametersOf(request)),
  ),
  'GET /:version/:id': graph.needsPermission('pages_read_engagement', readObject),
  'GET /:version/:id/insights': hiddenWithout('read_insights', readInsights('insights')),
  'GET /:version/:id/video_insights': hiddenWithout('read_insights', readInsights('video_insights')),
  'GET /:version/:id/comments': graph.needsPermission('pages_read_user_content', (world, request) =>
    onOwnObject(world, request, (id) =>
      graph.pageOfFields(world.book.commentsOf(id).map(presentComment), request.query),
    ),
  ),
  'POST /:version/:id/comments': graph.needsPermission('pages_manage_engagement', (world, request) =>
    onOwnObject(world, request, () => createComment(world, request)),
  ),
  'POST /:version/:id': hiddenWithout('pages_manage_posts', (world, request) =>
    onOwnObject(world, request, (id) => editObject(world, request, id)),
  ),
  'DELETE /:version/:id': hiddenWithout('pages_manage_posts', (world, request) =>
    onOwnObject(world, request, (id) => {
      world.book.remove(id);
      return okResponse({ success: true });
    }),
  ),
};

/** Responds for a post or comment of the page; anything else does not exist. */
function onOwnObject(
  { book }: PageWorld,
  { params, method, owner }: PageRequest,
  respond: (id: string) => WireResponse,
): WireResponse {
  const id = params['id'] ?? '';
  const isOwn = book.post(id)?.pageId === owner.accountId || book.comment(id)?.authorId === owner.accountId;
  return isOwn ? respond(id) : graph.objectNotFound(id, method);
}

function editObject({ book }: PageWorld, request: PageRequest, id: string): WireResponse {
  const fields = graph.parametersOf(request);
  const text = fields[book.post(id)?.video ? 'description' : 'message'] ?? '';
  if (text.trim() === '' && !book.post(id)?.video) return empty;
  if (text.length > (book.post(id) ? MESSAGE_MAX : COMMENT_MAX))
    return graph.badParameter('Param message is too long');
  book.edit(id, text);
  return okResponse({ success: true });
}

function readObject(world: PageWorld, request: PageRequest): WireResponse {
  const { book, uploads } = world;
  const { query, owner, params } = request;
  const id = params['id'] ?? '';
  const photo = book.photo(owner.accountId, id);
  if (photo)
    return graph.selectFields({ id, alt_text_custom: photo.altText ?? undefined }, query.get('fields'));
  const [post, comment] = [book.post(id), book.comment(id)];
  if (comment || (post && !post.video)) {
    return onOwnObject(world, request, () =>
      graph.selectFields(
        post ? presentPost(post) : presentComment(comment as NonNullable<typeof comment>),
        query.get('fields'),
      ),
    );
  }
  const status = uploads.statusOf(owner.accountId, id);
  return status
    ? graph.selectFields(presentVideo(post, id, status), query.get('fields'))
    : graph.objectNotFound(id, 'GET');
}

function readInsights(edge: 'insights' | 'video_insights'): PageRoute {
  return (world, request) => onOwnObject(world, request, (id) => insightsOf(world, id, edge, request.query));
}

function insightsOf({ book }: PageWorld, id: string, edge: string, query: URLSearchParams): WireResponse {
  const isVideo = book.post(id)?.video !== null;
  if (edge === 'video_insights') return isVideo ? okResponse(presentVideoInsights(id)) : graph.unknownPath;
  if (isVideo) return noInsights;
  const insights = presentInsights(id, (query.get('metric') ?? '').split(','));
  return insights ? okResponse(insights) : graph.badParameter('The value must be a valid insights metric');
}

function keepPhoto({ book }: PageWorld, request: PageRequest): WireResponse {
  const pageId = request.owner.accountId;
  const { published, alt_text_custom: altText = null } = graph.parametersOf(request);
  const source = fileIn(request, 'source');
  if (!source || published !== 'false')
    return graph.badParameter('Here only photos that are not published yet');
  const file = parseFetchedFile(source.bytes);
  if (!PHOTO_TYPES.includes(file.type) || file.bytes > PHOTO_BYTES_MAX) return badPhoto;
  if (altText !== null && altText.length > ALT_TEXT_MAX)
    return graph.badParameter('Param alt_text_custom is too long');
  return okResponse({ id: book.keepPhoto(pageId, file, altText).id });
}

function publish({ book, refusesDuplicates }: PageWorld, request: PageRequest): WireResponse {
  const pageId = request.owner.accountId;
  const fields = graph.parametersOf(request);
  const { message = '', link = null } = fields;
  const named = Object.keys(fields).filter((name) => name.startsWith('attached_media['));
  const photos: (PageFile | null)[] = named.map((name) => {
    const { media_fbid: id } = JSON.parse(fields[name] ?? '{}') as { media_fbid?: string };
    return book.photo(pageId, id ?? '');
  });
  if (message.trim() === '' && link === null && photos.length === 0) return empty;
  if (message.length > MESSAGE_MAX) return graph.badParameter('Param message is too long');
  if (photos.length > PHOTOS_MAX || (photos.length > 0 && link !== null)) {
    return graph.badParameter('Param attached_media is not valid here');
  }
  const known = photos.filter((photo) => photo !== null);
  if (known.length < photos.length)
    return graph.badParameter('Param attached_media has an id that there is not');
  const isSame = book.postsOf(pageId).some((one) => one.message === message && message !== '');
  if (refusesDuplicates && isSame && photos.length === 0) return duplicate;
  return okResponse({
    id: book.publish({ pageId, message, link, photos: known, video: null, isReel: false }).id,
  });
}

function createComment({ book }: PageWorld, request: PageRequest): WireResponse {
  const [pageId, objectId] = [request.owner.accountId, request.params['id'] ?? ''];
  const { message = '' } = graph.parametersOf(request);
  if (message.trim() === '') return graph.badParameter('The parameter message is required');
  if (message.length > COMMENT_MAX) return graph.badParameter('Param message is too long');
  return okResponse({ id: book.write({ objectId, authorId: pageId, message }).id });
}
