import { okResponse, fieldsOf, textOf, type WireResponse } from '../wire/exchange.js';
import { checkSubmission, isTrue, lengthOf, tooLong, type Submission } from './check-submission.js';
import { formError } from './errors.js';
import type { RedditRequest, RedditState } from './network.js';
import type { RedditPost } from './post-store.js';
import { permalinkOf } from './present.js';

const GALLERY_MAX = 20;
const CAPTION_MAX = 180;

/** `POST /api/submit` (packages/platforms/src/reddit/NOTES.md). */
export function submitPost(state: RedditState, { body, owner }: RedditRequest): WireResponse {
  const submission = checkSubmission(state, fieldsOf(body), owner.account);
  if ('status' in submission) return submission;
  const { fields, place } = submission;
  const kind = textOf(fields['kind']) || 'link';
  switch (kind) {
    case 'self':
      if (place.submissionType === 'link') {
        return formError('NO_SELFS', "This community doesn't allow text posts", 'sr');
      }
      return reported(make(submission, { kind }));
    case 'link':
      return submitLink(submission);
    case 'image':
    case 'video':
      return submitFile(submission, kind);
    default:
      return formError('INVALID_OPTION', 'that option is not valid', 'kind');
  }
}

function submitLink(submission: Submission): WireResponse {
  const { state, fields, place } = submission;
  const url = textOf(fields['url']);
  if (place.submissionType === 'self') {
    return formError('NO_LINKS', 'This community only allows text posts', 'sr');
  }
  if (!URL.canParse(url)) return formError('NO_URL', 'a url is required', 'url');
  const isThere = state.posts.inSubreddit(place.name).some((one) => one.url === url);
  if (place.requirements.link_repost_age !== null && isThere && !isTrue(fields['resubmit'])) {
    const words =
      "This community doesn't allow links to be posted more than once, and this link has already been shared";
    return formError('ALREADY_SUB', words, 'url');
  }
  return reported(make(submission, { kind: 'link', url }));
}

/** The post is created asynchronously; the caller is notified by websocket only. */
function submitFile(submission: Submission, kind: 'image' | 'video'): WireResponse {
  const { state, fields, author, place } = submission;
  const { media, mediaPolls } = state;
  const allowed = kind === 'image' ? place.allowImages : place.allowVideos;
  if (!allowed) return formError(`NO_${kind.toUpperCase()}S`, `This community doesn't allow ${kind}s`, 'sr');
  const file = media.at(author, textOf(fields['url']));
  if (!file?.type.startsWith(`${kind}/`)) return formError('BAD_URL', 'you should check that url', 'url');
  const poster = textOf(fields['video_poster_url']);
  if (kind === 'video' && !media.at(author, poster)?.type.startsWith('image/')) {
    const words = 'This community requires a video link and a post link';
    return formError('MISSING_VIDEO_URLS', words, 'video_poster_url');
  }
  if (mediaPolls !== null) make(submission, { kind, media: [file] }, mediaPolls);
  const websocket_url = `wss://ws-05ca86577a8823343.wss.redditmedia.com/rte_images/${file.assetId}?m=AQAA`;
  return okResponse({ json: { errors: [], data: { websocket_url } } });
}

/** `POST /api/submit_gallery_post.json`. */
export function submitGallery(state: RedditState, { body, owner }: RedditRequest): WireResponse {
  const submission = checkSubmission(state, fieldsOf(body), owner.account);
  if ('status' in submission) return submission;
  const { fields, author, place } = submission;
  if (!place.allowGalleries) {
    return formError('NO_GALLERIES', "This community doesn't allow galleries", 'sr');
  }
  const items = Array.isArray(fields['items']) ? fields['items'].map(fieldsOf) : [];
  if (items.length < 2) return formError('placeholder', 'List is too short.', 'items');
  if (items.length > GALLERY_MAX) return formError('placeholder', 'List is too long.', 'items');
  if (items.some(({ caption }) => lengthOf(textOf(caption)) > CAPTION_MAX)) {
    return tooLong(CAPTION_MAX, 'caption');
  }
  const media = items.flatMap(({ media_id: id }) => state.media.byId(author, textOf(id)) ?? []);
  if (media.length < items.length || media.some(({ type }) => !type.startsWith('image/'))) {
    return formError('placeholder', 'Invalid value', 'items');
  }
  const created = make(submission, { kind: 'gallery', media });
  const url = `https://www.reddit.com${permalinkOf(created)}`;
  return okResponse({ json: { errors: [], data: { url, id: `t3_${created.id}` } } });
}

function make(
  { state, fields, author, place }: Submission,
  content: Pick<RedditPost, 'kind'> & Partial<Pick<RedditPost, 'url' | 'media'>>,
  hiddenForPolls = 0,
): RedditPost {
  const flair = place.flairs.find(({ id }) => id === fields['flair_id']);
  const own = textOf(fields['flair_text']);
  return state.posts.post(
    {
      author,
      subreddit: place.name,
      url: null,
      media: [],
      ...content,
      title: textOf(fields['title']).trim(),
      text: textOf(fields['text']).trimEnd(),
      flair: flair ? { id: flair.id, text: flair.editable && own !== '' ? own : flair.text } : null,
      nsfw: isTrue(fields['nsfw']),
      spoiler: isTrue(fields['spoiler']),
      sendReplies: fields['sendreplies'] === undefined || isTrue(fields['sendreplies']),
    },
    hiddenForPolls,
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
