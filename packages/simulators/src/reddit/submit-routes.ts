import { okResponse, fieldsOf, textOf, type WireResponse } from '../wire/exchange.js';
import {
  checkSubmission,
  isTrue,
  lengthOf,
  tooLong,
  type SubmissionFields,
  type SubredditFinder,
} from './check-submission.js';
import { formError } from './errors.js';
import type { MediaRoutes } from './media-routes.js';
import type { PostStore, HostedMedia, RedditPost } from './post-store.js';
import { permalinkOf } from './present.js';
import type { RedditSubreddit } from './subreddit.js';

interface Submissions {
  readonly posts: PostStore;
  readonly media: MediaRoutes;
  readonly find: SubredditFinder;
  /** The number of reads of the account's list after which an image or video appears; null: it never does. */
  readonly mediaPolls: () => number | null;
}

const GALLERY_MAX = 20;
const CAPTION_MAX = 180;

interface SubmissionContent {
  readonly kind: RedditPost['kind'];
  readonly url?: string;
  readonly media?: readonly HostedMedia[];
  readonly hiddenForPolls?: number;
}

/** `POST /api/submit` (packages/platforms/src/reddit/NOTES.md). */
export function submitPost(submissions: Submissions, body: unknown, author: string): WireResponse {
  const fields = fieldsOf(body);
  const kind = textOf(fields['kind']) || 'link';
  const place = checkSubmission(fields, author, submissions.find);
  if ('status' in place) return place;
  switch (kind) {
    case 'self':
      if (place.submissionType === 'link') {
        return formError('NO_SELFS', "This community doesn't allow text posts", 'sr');
      }
      return reported(make(submissions, fields, author, place, { kind }));
    case 'link':
      return submitLink(submissions, fields, author, place);
    case 'image':
    case 'video':
      return submitFile(submissions, fields, author, place, kind);
    default:
      return formError('INVALID_OPTION', 'that option is not valid', 'kind');
  }
}

function submitLink(
  submissions: Submissions,
  fields: SubmissionFields,
  author: string,
  place: RedditSubreddit,
): WireResponse {
  const url = textOf(fields['url']);
  if (place.submissionType === 'self') {
    return formError('NO_LINKS', 'This community only allows text posts', 'sr');
  }
  if (!URL.canParse(url)) return formError('NO_URL', 'a url is required', 'url');
  const isThere = submissions.posts.inSubreddit(place.name).some((one) => one.url === url);
  if (place.requirements.link_repost_age !== null && isThere && !isTrue(fields['resubmit'])) {
    const words =
      "This community doesn't allow links to be posted more than once, and this link has already been shared";
    return formError('ALREADY_SUB', words, 'url');
  }
  return reported(make(submissions, fields, author, place, { kind: 'link', url }));
}

/** The post is created asynchronously; the caller is notified by websocket only. */
function submitFile(
  submissions: Submissions,
  fields: SubmissionFields,
  author: string,
  place: RedditSubreddit,
  kind: 'image' | 'video',
): WireResponse {
  const { media, mediaPolls } = submissions;
  const allowed = kind === 'image' ? place.allowImages : place.allowVideos;
  if (!allowed) {
    return kind === 'image'
      ? formError('NO_IMAGES', "This community doesn't allow images", 'sr')
      : formError('NO_VIDEOS', "This community doesn't allow videos", 'sr');
  }
  const file = media.at(author, textOf(fields['url']));
  if (!file?.type.startsWith(`${kind}/`)) return formError('BAD_URL', 'you should check that url', 'url');
  const poster = textOf(fields['video_poster_url']);
  if (kind === 'video' && !media.at(author, poster)?.type.startsWith('image/')) {
    const words = 'This community requires a video link and a post link';
    return formError('MISSING_VIDEO_URLS', words, 'video_poster_url');
  }
  const hiddenForPolls = mediaPolls();
  if (hiddenForPolls !== null)
    make(submissions, fields, author, place, { kind, media: [file], hiddenForPolls });
  return okResponse({
    json: {
      errors: [],
      data: {
        websocket_url: `wss://ws-05ca86577a8823343.wss.redditmedia.com/rte_images/${file.assetId}?m=AQAA`,
      },
    },
  });
}

/** `POST /api/submit_gallery_post.json`. */
export function submitGallery(submissions: Submissions, body: unknown, author: string): WireResponse {
  const fields = fieldsOf(body);
  const place = checkSubmission(fields, author, submissions.find);
  if ('status' in place) return place;
  if (!place.allowGalleries) {
    return formError('NO_GALLERIES', "This community doesn't allow galleries", 'sr');
  }
  const items = Array.isArray(fields['items']) ? fields['items'].map(fieldsOf) : [];
  if (items.length < 2) return formError('placeholder', 'List is too short.', 'items');
  if (items.length > GALLERY_MAX) return formError('placeholder', 'List is too long.', 'items');
  if (items.some(({ caption }) => lengthOf(textOf(caption)) > CAPTION_MAX)) {
    return tooLong(CAPTION_MAX, 'caption');
  }
  const files = items.flatMap(({ media_id: id }) => submissions.media.byId(author, textOf(id)) ?? []);
  if (files.length < items.length || files.some(({ type }) => !type.startsWith('image/'))) {
    return formError('placeholder', 'Invalid value', 'items');
  }
  const created = make(submissions, fields, author, place, { kind: 'gallery', media: files });
  const url = `https://www.reddit.com${permalinkOf(created)}`;
  return okResponse({ json: { errors: [], data: { url, id: `t3_${created.id}` } } });
}

function make(
  { posts }: Submissions,
  fields: SubmissionFields,
  author: string,
  place: RedditSubreddit,
  of: SubmissionContent,
): RedditPost {
  const flair = place.flairs.find(({ id }) => id === fields['flair_id']);
  const own = textOf(fields['flair_text']);
  return posts.post(
    {
      author,
      subreddit: place.name,
      kind: of.kind,
      url: of.url ?? null,
      media: of.media ?? [],
      title: textOf(fields['title']).trim(),
      text: textOf(fields['text']).trimEnd(),
      flair: flair ? { id: flair.id, text: flair.editable && own !== '' ? own : flair.text } : null,
      nsfw: isTrue(fields['nsfw']),
      spoiler: isTrue(fields['spoiler']),
      sendReplies: fields['sendreplies'] === undefined || isTrue(fields['sendreplies']),
    },
    of.hiddenForPolls ?? 0,
  );
}

const reported = (post: RedditPost) =>
  okResponse({
    json: {
      errors: [],
      data: {
        url: `https://www.reddit.com${permalinkOf(post)}`,
        id: post.id,
        name: `t3_${post.id}`,
      },
    },
  });
