import { answer, fieldsOf, textOf, type WireAnswer } from '../wire/exchange.js';
import type { PostBook, PostedMedia, RedditPost } from './book.js';
import { saysNo } from './errors.js';
import type { MediaDesk } from './media.js';
import { permalinkOf } from './present.js';
import { isClosed, type RedditSubreddit } from './subreddit.js';

export interface SubmitDesk {
  readonly posts: PostBook;
  readonly media: MediaDesk;
  /** Null: there is none of this name. */
  readonly find: (name: string) => RedditSubreddit | null;
  /** After how many looks at the account's list a picture or a film is in it; null: nothing becomes of it. */
  readonly mediaTakes: () => number | null;
}

const TITLE_MAX = 300;
const TEXT_MAX = 40_000;
const GALLERY_MAX = 20;
const CAPTION_MAX = 180;

const lengthOf = (text: string) => [...text].length;
/** A form's and a JSON body's alike. */
const isTrue = (value: unknown) => value === true || /^[^0Ff]/.test(textOf(value));
const tooLong = (max: number, field: string) => saysNo('TOO_LONG', `this is too long (max: ${max})`, field);

/** `POST /api/submit` and `POST /api/submit_gallery_post.json` (packages/platforms/src/reddit/NOTES.md). */
export function submitDesk({ posts, media, find, mediaTakes }: SubmitDesk) {
  function wrongPlace(fields: Fields, author: string): WireAnswer | RedditSubreddit {
    const name = textOf(fields['sr']);
    if (!/^[A-Za-z0-9_-]{2,23}$/.test(name)) {
      return saysNo('BAD_SR_NAME', "This community name isn't recognizable. Check the spelling.", 'sr');
    }
    const place = find(name);
    if (!place) return saysNo('SUBREDDIT_NOEXIST', "Hmm, that community doesn't exist. Try another.", 'sr');
    const isIn = place.contributors.includes(author) || place.moderators.includes(author);
    if (place.banned.includes(author) || (isClosed(place) && !isIn)) {
      return saysNo('SUBREDDIT_NOTALLOWED', "You aren't allowed to post there.", 'sr');
    }
    if (place.type === 'user' && place.name !== `u_${author}`) {
      return saysNo('SUBREDDIT_NOTALLOWED', "You aren't allowed to post there.", 'sr');
    }
    return place;
  }

  function wrongWords(fields: Fields): WireAnswer | null {
    const [title, text] = [textOf(fields['title']), textOf(fields['text'])];
    if (title.trim() === '') return saysNo('NO_TEXT', 'we need something here', 'title');
    if (lengthOf(title) > TITLE_MAX) return tooLong(TITLE_MAX, 'title');
    return lengthOf(text) > TEXT_MAX ? tooLong(TEXT_MAX, 'text') : null;
  }

  /** What moderators ask for is looked at only with `validate_on_submit`. */
  function wrongForModerators(fields: Fields, { requirements: asked, flairs }: RedditSubreddit) {
    const flairId = textOf(fields['flair_id']);
    if (flairId !== '' && !flairs.some(({ id }) => id === flairId)) {
      return saysNo('BAD_FLAIR_TEMPLATE_ID', 'not a valid flair template id', 'flair');
    }
    if (!isTrue(fields['validate_on_submit'])) return null;
    if (asked.is_flair_required && flairId === '') {
      return saysNo('SUBMIT_VALIDATION_FLAIR_REQUIRED', 'Your post must contain post flair.', 'flair');
    }
    const [title, text] = [textOf(fields['title']), textOf(fields['text']).toLowerCase()];
    if (asked.title_regexes.some((regex) => !new RegExp(regex).test(title))) {
      return saysNo(
        'SUBMIT_VALIDATION_REGEX',
        'Your title does not follow this community’s format.',
        'title',
      );
    }
    return asked.body_blacklisted_strings.some((words) => text.includes(words.toLowerCase()))
      ? saysNo(
          'SUBMIT_VALIDATION_BODY_BLACKLISTED_STRING',
          'Your body has words that are not allowed.',
          'body',
        )
      : null;
  }

  function make(fields: Fields, author: string, place: RedditSubreddit, of: Kind): RedditPost {
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
      of.hiddenForLooks ?? 0,
    );
  }

  const told = (post: RedditPost) =>
    answer({
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

  function submit(body: unknown, author: string): WireAnswer {
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
          return saysNo('NO_SELFS', "This community doesn't allow text posts", 'sr');
        }
        return told(make(fields, author, place, { kind }));
      case 'link': {
        if (place.submissionType === 'self') {
          return saysNo('NO_LINKS', 'This community only allows text posts', 'sr');
        }
        if (!URL.canParse(url)) return saysNo('NO_URL', 'a url is required', 'url');
        const isThere = posts.inSubreddit(place.name).some((one) => one.url === url);
        if (place.requirements.link_repost_age !== null && isThere && !isTrue(fields['resubmit'])) {
          const words =
            "This community doesn't allow links to be posted more than once, and this link has already been shared";
          return saysNo('ALREADY_SUB', words, 'url');
        }
        return told(make(fields, author, place, { kind, url }));
      }
      case 'image':
      case 'video':
        return withFile(fields, author, place, kind);
      default:
        return saysNo('INVALID_OPTION', 'that option is not valid', 'kind');
    }
  }

  /** Made into a post later; who asked is told of it by a websocket only. */
  function withFile(
    fields: Fields,
    author: string,
    place: RedditSubreddit,
    kind: 'image' | 'video',
  ): WireAnswer {
    const allowed = kind === 'image' ? place.allowImages : place.allowVideos;
    if (!allowed) {
      return kind === 'image'
        ? saysNo('NO_IMAGES', "This community doesn't allow images", 'sr')
        : saysNo('NO_VIDEOS', "This community doesn't allow videos", 'sr');
    }
    const file = media.at(author, textOf(fields['url']));
    if (!file?.type.startsWith(`${kind}/`)) return saysNo('BAD_URL', 'you should check that url', 'url');
    const poster = textOf(fields['video_poster_url']);
    if (kind === 'video' && !media.at(author, poster)?.type.startsWith('image/')) {
      const words = 'This community requires a video link and a post link';
      return saysNo('MISSING_VIDEO_URLS', words, 'video_poster_url');
    }
    const hiddenForLooks = mediaTakes();
    if (hiddenForLooks !== null) make(fields, author, place, { kind, media: [file], hiddenForLooks });
    return answer({
      json: {
        errors: [],
        data: {
          user_submitted_page: `https://www.reddit.com/user/${author}/submitted/`,
          websocket_url: `wss://ws-05ca86577a8823343.wss.redditmedia.com/rte_images/${file.assetId}?m=AQAA`,
        },
      },
    });
  }

  function gallery(body: unknown, author: string): WireAnswer {
    const fields = fieldsOf(body);
    const place = wrongPlace(fields, author);
    if ('status' in place) return place;
    const wrong = wrongWords(fields) ?? wrongForModerators(fields, place);
    if (wrong) return wrong;
    if (!place.allowGalleries) {
      return saysNo('NO_GALLERIES', "This community doesn't allow galleries", 'sr');
    }
    const items = Array.isArray(fields['items']) ? fields['items'].map(fieldsOf) : [];
    if (items.length < 2) return saysNo('placeholder', 'List is too short.', 'items');
    if (items.length > GALLERY_MAX) return saysNo('placeholder', 'List is too long.', 'items');
    if (items.some(({ caption }) => lengthOf(textOf(caption)) > CAPTION_MAX)) {
      return tooLong(CAPTION_MAX, 'caption');
    }
    const files = items.flatMap(({ media_id: id }) => media.byId(author, textOf(id)) ?? []);
    if (files.length < items.length || files.some(({ type }) => !type.startsWith('image/'))) {
      return saysNo('placeholder', 'Invalid value', 'items');
    }
    const made = make(fields, author, place, { kind: 'gallery', media: files });
    const url = `https://www.reddit.com${permalinkOf(made)}`;
    return answer({ json: { errors: [], data: { url, id: `t3_${made.id}` } } });
  }

  return { submit, gallery };
}

type Fields = Readonly<Record<string, unknown>>;

interface Kind {
  readonly kind: RedditPost['kind'];
  readonly url?: string;
  readonly media?: readonly PostedMedia[];
  readonly hiddenForLooks?: number;
}
