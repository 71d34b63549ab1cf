import { ok, quotePlatform, refuse, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { codePoints } from '../kit/counting/code-points.js';
import { read } from './ask.js';
import { bodyOf, kindOf, optionsOf, subredditOf, type Kind } from './rules.js';
import { about, dialect, requirements, type Requirements, type Subreddit } from './wire.js';

/** What a subreddit does not take. Its own words, where there are any, are quoted beside. */
interface Objection {
  readonly message: string;
  readonly theirs?: readonly string[] | undefined;
}

/**
 * Looks at what the subreddit takes before anything is uploaded or sent. Patterns and unwanted words, of which only Reddit
 * knows how it compares them, Reddit itself judges (`validate_on_submit`).
 */
export async function checkSubreddit(session: Session, item: PublishItem): Answer<undefined> {
  const name = subredditOf(item);
  // Where a post has no place, or is at home, there are no rules.
  if (name === '' || isOwnProfile(session, name)) return ok();
  const place = encodeURIComponent(name);
  const asked = await read(session, `/api/v1/${place}/post_requirements`, requirements);
  const unsaid = 'what the subreddit takes. Nothing was posted.';
  if (!asked.ok) return beforeSending(dialect, asked, unsaid);
  const told = await read(session, `/r/${place}/about`, about);
  if (!told.ok) return beforeSending(dialect, told, unsaid);
  const [objection] = objections(item, told.value.data, asked.value);
  if (!objection) return ok();
  const { message, theirs } = objection;
  return refuse('platform.refused', `The subreddit ${message}`, {
    ...(theirs && { platform: quotePlatform(dialect.name, theirs.join(', ')) }),
  });
}

export const isOwnProfile = ({ account }: Session, name: string): boolean =>
  name.toLowerCase() === `u_${account.username ?? ''}`.toLowerCase();

/** Only for accounts that its moderators approved, of which this is none. */
export const isClosed = (place: Subreddit): boolean =>
  (place.subreddit_type === 'restricted'
    ? place.restrict_posting !== false
    : place.subreddit_type !== 'public') &&
  place.user_is_contributor !== true &&
  place.user_is_moderator !== true;

export const objections = (
  item: PublishItem,
  place: Subreddit,
  asked: Requirements,
): readonly Objection[] => [
  ...toAnyPost(place),
  ...toTheKind(kindOf(item), item, place, asked),
  ...toTheTitle(item.title ?? '', asked),
  ...toTheBody(item, asked),
  ...toTheLink(item, asked),
  ...when(asked.is_flair_required === true && optionsOf(item).flair === undefined, 'wants a flair.'),
  ...when(
    place.spoilers_enabled === false && optionsOf(item).spoiler === true,
    'has no spoilers: leave the option out.',
  ),
];

const when = (isWrong: boolean, message: string, theirs?: readonly string[] | null): Objection[] =>
  isWrong ? [{ message, theirs: theirs ?? undefined }] : [];

function toAnyPost(place: Subreddit): Objection[] {
  return [
    ...when(place.user_is_banned === true, 'has banned the account.'),
    ...when(
      ['restricted', 'private'].includes(place.subreddit_type) && isClosed(place),
      'takes posts of accounts only that its moderators approved.',
    ),
    ...when(place.subreddit_type === 'archived', 'is archived and takes no posts.'),
  ];
}

function toTheKind(
  kind: Kind,
  { mediaCount }: PublishItem,
  place: Subreddit,
  { gallery_min_items: least, gallery_max_items: most }: Requirements,
): Objection[] {
  const { submission_type: type } = place;
  return [
    ...when(type === 'self' && kind !== 'self', 'takes text posts only.'),
    ...when(type === 'link' && kind === 'self', 'takes no text posts: add a link, a picture or a film.'),
    ...when(kind === 'image' && place.allow_images === false, 'takes no pictures.'),
    ...when(kind === 'gallery' && place.allow_galleries === false, 'takes no galleries: post one picture.'),
    ...when(kind === 'video' && place.allow_videos === false, 'takes no films.'),
    ...when(kind === 'gallery' && mediaCount < (least ?? 0), `wants ${least} pictures in a gallery.`),
    ...when(kind === 'gallery' && mediaCount > (most ?? Infinity), `takes ${most} pictures in a gallery.`),
  ];
}

function toTheTitle(title: string, asked: Requirements): Objection[] {
  const length = codePoints(title);
  const { title_required_strings: required } = asked;
  return [
    ...when(
      length < (asked.title_text_min_length ?? 0),
      `wants titles of at least ${asked.title_text_min_length} characters.`,
    ),
    ...when(
      length > (asked.title_text_max_length ?? Infinity),
      `takes titles of at most ${asked.title_text_max_length} characters.`,
    ),
    ...when(lacks(title, required), 'wants one of its own words in the title.', required),
  ];
}

/** Of text posts: what stands beside a link or a picture is not looked at. */
function toTheBody(item: PublishItem, asked: Requirements): Objection[] {
  if (kindOf(item) !== 'self') return [];
  const body = bodyOf(item);
  const length = codePoints(body);
  const { body_required_strings: required, body_restriction_policy: policy } = asked;
  return [
    ...when(policy === 'required' && body.trim() === '', 'wants a text below the title.'),
    ...when(policy === 'notAllowed' && body.trim() !== '', 'takes no text below the title.'),
    ...when(
      length < (asked.body_text_min_length ?? 0),
      `wants texts of at least ${asked.body_text_min_length} characters.`,
    ),
    ...when(
      length > (asked.body_text_max_length ?? Infinity),
      `takes texts of at most ${asked.body_text_max_length} characters.`,
    ),
    ...when(lacks(body, required), 'wants one of its own words in the text.', required),
  ];
}

function toTheLink(item: PublishItem, asked: Requirements): Objection[] {
  if (kindOf(item) !== 'link' || item.link === null || !URL.canParse(item.link)) return [];
  const bare = (name: string) => name.toLowerCase().replace(/^www\./, '');
  const host = bare(new URL(item.link).hostname);
  const isOf = (domains: readonly string[] | null | undefined) =>
    (domains ?? []).map(bare).some((domain) => host === domain || host.endsWith(`.${domain}`));
  const { link_restriction_policy: policy, domain_whitelist: wanted, domain_blacklist: unwanted } = asked;
  return [
    ...when(policy === 'whitelist' && !isOf(wanted), 'takes links to these sites only.', wanted),
    ...when(policy === 'blacklist' && isOf(unwanted), 'takes no links to this site.', unwanted),
  ];
}

const lacks = (text: string, words: readonly string[] | null | undefined): boolean =>
  (words ?? []).length > 0 && !words?.some((word) => text.toLowerCase().includes(word.toLowerCase()));
