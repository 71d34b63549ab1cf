import { okResponse, fieldsOf, textOf, type WireResponse } from '../wire/exchange.js';
import type { PostStore, HostedMedia, RedditPost } from './post-store.js';
import { formError } from './errors.js';
import type { MediaRoutes } from './media-routes.js';
import { permalinkOf } from './present.js';
import { isClosed, type RedditSubreddit } from './subreddit.js';

export interface SubmitRoutesOptions {
  readonly posts: PostStore;
  readonly media: MediaRoutes;
  /** Null: unknown name. */
  readonly find: (name: string) => RedditSubreddit | null;
  /** The number of reads of the account's list after which an image or video appears; null: it never does. */
  readonly mediaPolls: () => number | null;
}

const TITLE_MAX = 300;
const TEXT_MAX = 40_000;
const GALLERY_MAX = 20;
const CAPTION_MAX = 180;

const lengthOf = (text: string) => [...text].length;
/** The fields of a form or a JSON body. */
const isTrue = (value: unknown) => value === true || /^[^0Ff]/.test(textOf(value));
const tooLong = (max: number, field: string) =>
  formError('TOO_LONG', `this is too long (max: ${max})`, field);

/** `POST /api/submit` and `POST /api/submit_gallery_post.json` (packages/platforms/src/reddit/NOTES.md). */
export function submitRoutes({ posts, media, find, mediaPolls }: SubmitRoutesOptions) {
  function wrongPlace(fields: SubmissionFields, author: string): WireResponse | RedditSubreddit {
    const name = textOf(fields['sr']);
    if (!/^[A-Za-z0-9_-]{2,23}$/.test(name)) {
      return formError('BAD_SR_NAME', "This community name isn't recognizable. Check the spelling.", 'sr');
    }
    const place = find(name);
    if (!place)
      return formError('SUBREDDIT_NOEXIST', "Hmm, that community doesn't exist. Try another.", 'sr');
    const isIn = place.contributors.includes(author) || place.moderators.includes(author);
    if (place.banned.includes(author) || (isClosed(place) && !isIn)) {
      return formError('SUBREDDIT_NOTALLOWED', "You aren't allowed to post there.", 'sr');
    }
    if (place.type === 'user' && place.name !== `u_${author}`) {
      return formError('SUBREDDIT_NOTALLOWED', "You aren't allowed to post there.", 'sr');
    }
    return place;
  }

  function wrongWords(fields: SubmissionFields): WireResponse | null {
    const [title, text] = [textOf(fields['title']), textOf(fields['text'])];
    if (title.trim() === '') return formError('NO_TEXT', 'we need something here', 'title');
    if (lengthOf(title) > TITLE_MAX) return tooLong(TITLE_MAX, 'title');
    return lengthOf(text) > TEXT_MAX ? tooLong(TEXT_MAX, 'text') : null;
  }

  /** The moderators' requirements are checked only with `validate_on_submit`. */
  function wrongForModerators(
    fields: SubmissionFields,
    { requirements: requested, flairs }: RedditSubreddit,
  ) {
    const flairId = textOf(fields['flair_id']);
    if (flairId !== '' && !flairs.some(({ id }) => id === flairId)) {
      return formError('BAD_FLAIR_TEMPLATE_ID', 'not a valid flair template id', 'flair');
    }
    if (!isTrue(fields['validate_on_submit'])) return null;
    if (requested.is_flair_required && flairId === '') {
      return formError('SUBMIT_VALIDATION_FLAIR_REQUIRED', 'Your post must contain post flair.', 'flair');
    }
    const [title, text] = [textOf(fields['title']), textOf(fields['text']).toLowerCase()];
    if (requested.title_regexes.some((regex) => !new RegExp(regex).test(title))) {
      return formError(
        'SUBMIT_VALIDATION_REGEX',
        'Your title does not follow this community’s format.',
        'title',
      );
    }
    return requested.body_blacklisted_strings.some((words) => text.includes(words.toLowerCase()))
      ? formError(
          'SUBMIT_VALIDATION_BODY_BLACKLISTED_STRING',
          'Your body has words that are not allowed.',
          'body',
        )
      : null;
  }

  function make(
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
          drafts_count: 0,
          id: post.id,
          name: `t3_${post.id}`,
        },
      },
    });

  function submit(body: unknown, author: string): WireResponse {
    const fields = fieldsOf(body);
    const kind = textOf(fields['kind']) || 'link';
    const place = wrongPlace(fields, author);
    if ('status' in place) return place;
    const wrong = wrongWords(fields) ?? wrongForModerators(fields, place);
    if (wrong) return wrong;
    const url = textOf(fields['url']);
    switch (kind) {
      case 'self':
        if (place.submissionType === 'link') {
          return formError('NO_SELFS', "This community doesn't allow text posts", 'sr');
        }
        return reported(make(fields, author, place, { kind }));
      case 'link': {
        if (place.submissionType === 'self') {
          return formError('NO_LINKS', 'This community only allows text posts', 'sr');
        }
        if (!URL.canParse(url)) return formError('NO_URL', 'a url is required', 'url');
        const isThere = posts.inSubreddit(place.name).some((one) => one.url === url);
        if (place.requirements.link_repost_age !== null && isThere && !isTrue(fields['resubmit'])) {
          const words =
            "This community doesn't allow links to be posted more than once, and this link has already been shared";
          return formError('ALREADY_SUB', words, 'url');
        }
        return reported(make(fields, author, place, { kind, url }));
      }
      case 'image':
      case 'video':
        return withFile(fields, author, place, kind);
      default:
        return formError('INVALID_OPTION', 'that option is not valid', 'kind');
    }
  }

  /** The post is created asynchronously; the caller is notified by websocket only. */
  function withFile(
    fields: SubmissionFields,
    author: string,
    place: RedditSubreddit,
    kind: 'image' | 'video',
  ): WireResponse {
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
    if (hiddenForPolls !== null) make(fields, author, place, { kind, media: [file], hiddenForPolls });
    return okResponse({
      json: {
        errors: [],
        data: {
          user_submitted_page: `https://www.reddit.com/user/${author}/submitted/`,
          websocket_url: `wss://ws-05ca86577a8823343.wss.redditmedia.com/rte_images/${file.assetId}?m=AQAA`,
        },
      },
    });
  }

  function gallery(body: unknown, author: string): WireResponse {
    const fields = fieldsOf(body);
    const place = wrongPlace(fields, author);
    if ('status' in place) return place;
    const wrong = wrongWords(fields) ?? wrongForModerators(fields, place);
    if (wrong) return wrong;
    if (!place.allowGalleries) {
      return formError('NO_GALLERIES', "This community doesn't allow galleries", 'sr');
    }
    const items = Array.isArray(fields['items']) ? fields['items'].map(fieldsOf) : [];
    if (items.length < 2) return formError('placeholder', 'List is too short.', 'items');
    if (items.length > GALLERY_MAX) return formError('placeholder', 'List is too long.', 'items');
    if (items.some(({ caption }) => lengthOf(textOf(caption)) > CAPTION_MAX)) {
      return tooLong(CAPTION_MAX, 'caption');
    }
    const files = items.flatMap(({ media_id: id }) => media.byId(author, textOf(id)) ?? []);
    if (files.length < items.length || files.some(({ type }) => !type.startsWith('image/'))) {
      return formError('placeholder', 'Invalid value', 'items');
    }
    const created = make(fields, author, place, { kind: 'gallery', media: files });
    const url = `https://www.reddit.com${permalinkOf(created)}`;
    return okResponse({ json: { errors: [], data: { url, id: `t3_${created.id}` } } });
  }

  return { submit, gallery };
}

type SubmissionFields = Readonly<Record<string, unknown>>;

interface SubmissionContent {
  readonly kind: RedditPost['kind'];
  readonly url?: string;
  readonly media?: readonly HostedMedia[];
  readonly hiddenForPolls?: number;
}
