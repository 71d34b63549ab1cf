import { okResponse, fieldsOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import type { FormFile } from '../wire/read-multipart.js';
import { parseFetchedFile } from '../meta/fetched-file.js';
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
import type { VideoUploadRoutes } from './video-upload-routes.js';
import type { VideoUploads } from './video-uploads.js';
import type { PageStore, PageFile } from './page-store.js';
import type { ReelUploadRoutes } from './reel-upload-routes.js';
import {
  presentComment,
  presentVideo,
  presentVideoInsights,
  presentInsights,
  presentPage,
  presentPost,
  type FacebookPage,
} from './present.js';

export interface PageWorld {
  readonly pages: ReadonlyMap<string, FacebookPage>;
  readonly book: PageStore;
  readonly uploads: VideoUploads;
  readonly videos: VideoUploadRoutes;
  readonly reels: ReelUploadRoutes;
  /**
   * Facebook rejects a post with identical text; false: it accepts it, for tests of indistinguishable posts.
   */
  readonly refusesDuplicates: boolean;
}

const MESSAGE_MAX = 63_206;
const COMMENT_MAX = 8_000;
const ALT_TEXT_MAX = 1_000;
const PHOTOS_MAX = 10;
const PHOTO_BYTES_MAX = 4_000_000;
const PHOTO_TYPES = ['image/jpeg', 'image/png'];

const empty = graphRefusal({
  message: '(#197) The post is empty. Please enter a message to share.',
  code: 197,
});
const duplicate = graphRefusal({
  message: '(#506) Duplicate status message',
  code: 506,
  subcode: 1_455_006,
  forPeople: 'This status update is identical to the last one you posted. Try posting something different.',
});
const badPhoto = graphRefusal({
  message: 'Invalid parameter',
  code: 100,
  subcode: 1_366_046,
  forPeople:
    'Your photos couldn’t be uploaded. Photos should be smaller than 4 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.',
});
const noInsights = badParameter('Tried accessing nonexisting field (insights) on node type (Video)');

/** For these, the documentation specifies the same error for missing objects and missing permissions. */
const HIDDEN_AS_MISSING = ['DELETE', 'GET insights', 'GET video_insights'];

const isFile = (value: unknown): value is FormFile =>
  typeof value === 'object' && value !== null && (value as Partial<FormFile>).bytes instanceof Uint8Array;
const fileIn = ({ body }: WireRequest, name: string): FormFile | undefined => {
  const value = fieldsOf(body)[name];
  return isFile(value) ? value : undefined;
};

/** The page API with a page token: https://developers.facebook.com/documentation/pages-api */
export function pageApi({ pages, book, uploads, videos, reels, refusesDuplicates }: PageWorld) {
  function keepPhoto(request: WireRequest, pageId: string): WireResponse {
    const { published, alt_text_custom: altText = null } = parametersOf(request);
    const source = fileIn(request, 'source');
    if (!source || published !== 'false') return badParameter('Here only photos that are not published yet');
    const file = parseFetchedFile(source.bytes);
    if (!PHOTO_TYPES.includes(file.type) || file.bytes > PHOTO_BYTES_MAX) return badPhoto;
    if (altText !== null && altText.length > ALT_TEXT_MAX)
      return badParameter('Param alt_text_custom is too long');
    return okResponse({ id: book.keepPhoto(pageId, file, altText).id });
  }

  function publish(request: WireRequest, pageId: string): WireResponse {
    const fields = parametersOf(request);
    const { message = '', link = null } = fields;
    const named = Object.keys(fields).filter((name) => name.startsWith('attached_media['));
    const photos: (PageFile | null)[] = named.map((name) => {
      const { media_fbid: id } = JSON.parse(fields[name] ?? '{}') as { media_fbid?: string };
      return book.photo(pageId, id ?? '');
    });
    if (message.trim() === '' && link === null && photos.length === 0) return empty;
    if (message.length > MESSAGE_MAX) return badParameter('Param message is too long');
    if (photos.length > PHOTOS_MAX || (photos.length > 0 && link !== null)) {
      return badParameter('Param attached_media is not valid here');
    }
    const known = photos.filter((photo) => photo !== null);
    if (known.length < photos.length) return badParameter('Param attached_media has an id that there is not');
    const isSame = book.postsOf(pageId).some((one) => one.message === message && message !== '');
    if (refusesDuplicates && isSame && photos.length === 0) return duplicate;
    return okResponse({
      id: book.publish({ pageId, message, link, photos: known, video: null, isReel: false }).id,
    });
  }

  function comment(request: WireRequest, pageId: string, objectId: string): WireResponse {
    const { message = '' } = parametersOf(request);
    if (message.trim() === '') return badParameter('The parameter message is required');
    if (message.length > COMMENT_MAX) return badParameter('Param message is too long');
    return okResponse({ id: book.write({ objectId, authorId: pageId, message }).id });
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

  function ofPage(request: WireRequest, pageId: string, permissions: readonly string[], edge: string) {
    const { method, query } = request;
    const may = (permission: string, then: () => WireResponse) =>
      permissions.includes(permission) ? then() : notPermitted;
    switch (`${method} ${edge}`.trim()) {
      case 'GET':
        return selectFields(presentPage(pages.get(pageId) as FacebookPage), query.get('fields'));
      case 'GET accounts':
        return badParameter('Tried accessing nonexisting field (accounts) on node type (Page)');
      case 'GET published_posts':
        return may('pages_read_engagement', () => rowsOf(book.postsOf(pageId).map(presentPost), query));
      case 'POST feed':
        return may('pages_manage_posts', () => publish(request, pageId));
      case 'POST photos':
        return may('pages_manage_posts', () => keepPhoto(request, pageId));
      case 'POST videos':
        return may('pages_manage_posts', () =>
          videos.serve(pageId, parametersOf(request), fileIn(request, 'video_file_chunk')),
        );
      case 'POST video_reels':
        return may('pages_manage_posts', () =>
          reels.serve(pageId, request.path.split('/')[1] ?? '', parametersOf(request)),
        );
      default:
        return unknownPath;
    }
  }

  function ofVideo({ query }: WireRequest, pageId: string, id: string): WireResponse {
    const status = uploads.statusOf(pageId, id);
    return status
      ? selectFields(presentVideo(book.post(id), id, status), query.get('fields'))
      : objectNotFound(id, 'GET');
  }

  function insightsOf(id: string, edge: string, query: URLSearchParams): WireResponse {
    const isVideo = book.post(id)?.video !== null;
    if (edge === 'video_insights') return isVideo ? okResponse(presentVideoInsights(id)) : unknownPath;
    if (isVideo) return noInsights;
    const insights = presentInsights(id, (query.get('metric') ?? '').split(','));
    return insights ? okResponse(insights) : badParameter('The value must be a valid insights metric');
  }

  function ofObject(
    request: WireRequest,
    pageId: string,
    permissions: readonly string[],
    id: string,
    edge: string,
  ): WireResponse {
    const { method, query } = request;
    const needed: Readonly<Record<string, string>> = {
      'GET insights': 'read_insights',
      'GET video_insights': 'read_insights',
      'GET comments': 'pages_read_user_content',
      'POST comments': 'pages_manage_engagement',
      GET: 'pages_read_engagement',
      DELETE: 'pages_manage_posts',
    };
    const requested = `${method} ${edge}`.trim();
    if (!permissions.includes(needed[requested] ?? '')) {
      return HIDDEN_AS_MISSING.includes(requested) ? objectNotFound(id, method) : notPermitted;
    }
    const photo = book.photo(pageId, id);
    if (requested === 'GET' && photo) {
      return selectFields({ id, alt_text_custom: photo.altText ?? undefined }, query.get('fields'));
    }
    const post = book.post(id);
    const stated = book.comment(id);
    if (requested === 'GET' && (post?.video || !post) && !stated) return ofVideo(request, pageId, id);
    if (post?.pageId !== pageId && stated?.authorId !== pageId) return objectNotFound(id, method);
    switch (requested) {
      case 'GET':
        return selectFields(
          post ? presentPost(post) : presentComment(stated as NonNullable<typeof stated>),
          query.get('fields'),
        );
      case 'GET insights':
      case 'GET video_insights':
        return insightsOf(id, edge, query);
      case 'GET comments':
        return rowsOf(book.commentsOf(id).map(presentComment), query);
      case 'POST comments':
        return comment(request, pageId, id);
      case 'DELETE':
        book.remove(id);
        return okResponse({ success: true });
      default:
        return unknownPath;
    }
  }

  return {
    serve(
      request: WireRequest,
      { accountId, permissions }: GraphBearer,
      node: string,
      edge: string,
    ): WireResponse {
      return node === 'me' || node === accountId
        ? ofPage(request, accountId, permissions, edge)
        : ofObject(request, accountId, permissions, node, edge);
    },
  };
}
