import { ok, quotePlatform, refuse, type PublishItem, type Session } from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import { mapFailureBeforeSend } from '../kit/map-failure-before-send.js';
import { codePoints } from '../kit/counting/code-points.js';
import { readJson } from './client.js';
import { bodyOf, kindOf, optionsOf, subredditOf, type PostKind } from './rules.js';
import { about, errorMapping, requirements, type Requirements, type Subreddit } from './wire.js';

/** What a subreddit does not take. Its own words, where there are any, are quoted beside. */
interface RuleViolation {
  readonly message: string;
  readonly theirs?: readonly string[] | undefined;
}

/**
 * Looks at what the subreddit takes before anything is uploaded or sent. Patterns and unwanted words, of which only Reddit
 * knows how it compares them, Reddit itself judges (`validate_on_submit`).
 */
export async function checkSubreddit(session: Session, item: PublishItem): AdapterResult<undefined> {
  const name = subredditOf(item);
  // Where a post has no place, or is at home, there are no rules.
  if (name === '' || isOwnProfile(session, name)) return ok();
  const place = encodeURIComponent(name);
  const asked = await readJson(session, `/api/v1/${place}/post_requirements`, requirements);
  const missingFact = 'what the subreddit takes. Nothing was posted.';
  if (!asked.ok) return mapFailureBeforeSend(errorMapping, asked, missingFact);
  const result = await readJson(session, `/r/${place}/about`, about);
  if (!result.ok) return mapFailureBeforeSend(errorMapping, result, missingFact);
  const [objection] = findViolations(item, result.value.data, asked.value);
  if (!objection) return ok();
  const { message, theirs } = objection;
  return refuse('platform.refused', `The subreddit ${message}`, {
    ...(theirs && { platform: quotePlatform(errorMapping.name, theirs.join(', ')) }),
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

export const findViolations = (
  item: PublishItem,
  place: Subreddit,
  asked: Requirements,
): readonly RuleViolation[] => [
  ...postViolations(place),
  ...kindViolations(kindOf(item), item, place, asked),
  ...titleViolations(item.title ?? '', asked),
  ...bodyViolations(item, asked),
  ...linkViolations(item, asked),
  ...violationIf(asked.is_flair_required === true && optionsOf(item).flair === undefined, 'wants a flair.'),
  ...violationIf(
    place.spoilers_enabled === false && optionsOf(item).spoiler === true,
    'has no spoilers: leave the option out.',
  ),
];

const violationIf = (
  isWrong: boolean,
  message: string,
  theirs?: readonly string[] | null,
): RuleViolation[] => (isWrong ? [{ message, theirs: theirs ?? undefined }] : []);

function postViolations(place: Subreddit): RuleViolation[] {
  return [
    ...violationIf(place.user_is_banned === true, 'has banned the account.'),
    ...violationIf(
      ['restricted', 'private'].includes(place.subreddit_type) && isClosed(place),
      'takes posts of accounts only that its moderators approved.',
    ),
    ...violationIf(place.subreddit_type === 'archived', 'is archived and takes no posts.'),
  ];
}

function kindViolations(
  kind: PostKind,
  { mediaCount }: PublishItem,
  place: Subreddit,
  { gallery_min_items: least, gallery_max_items: most }: Requirements,
): RuleViolation[] {
  const { submission_type: type } = place;
  return [
    ...violationIf(type === 'self' && kind !== 'self', 'takes text posts only.'),
    ...violationIf(
      type === 'link' && kind === 'self',
      'takes no text posts: add a link, a picture or a film.',
    ),
    ...violationIf(kind === 'image' && place.allow_images === false, 'takes no pictures.'),
    ...violationIf(
      kind === 'gallery' && place.allow_galleries === false,
      'takes no galleries: post one picture.',
    ),
    ...violationIf(kind === 'video' && place.allow_videos === false, 'takes no films.'),
    ...violationIf(kind === 'gallery' && mediaCount < (least ?? 0), `wants ${least} pictures in a gallery.`),
    ...violationIf(
      kind === 'gallery' && mediaCount > (most ?? Infinity),
      `takes ${most} pictures in a gallery.`,
    ),
  ];
}

function titleViolations(title: string, asked: Requirements): RuleViolation[] {
  const length = codePoints(title);
  const { title_required_strings: required } = asked;
  return [
    ...violationIf(
      length < (asked.title_text_min_length ?? 0),
      `wants titles of at least ${asked.title_text_min_length} characters.`,
    ),
    ...violationIf(
      length > (asked.title_text_max_length ?? Infinity),
      `takes titles of at most ${asked.title_text_max_length} characters.`,
    ),
    ...violationIf(lacks(title, required), 'wants one of its own words in the title.', required),
  ];
}

/** Of text posts: what stands beside a link or a picture is not looked at. */
function bodyViolations(item: PublishItem, asked: Requirements): RuleViolation[] {
  if (kindOf(item) !== 'self') return [];
  const body = bodyOf(item);
  const length = codePoints(body);
  const { body_required_strings: required, body_restriction_policy: policy } = asked;
  return [
    ...violationIf(policy === 'required' && body.trim() === '', 'wants a text below the title.'),
    ...violationIf(policy === 'notAllowed' && body.trim() !== '', 'takes no text below the title.'),
    ...violationIf(
      length < (asked.body_text_min_length ?? 0),
      `wants texts of at least ${asked.body_text_min_length} characters.`,
    ),
    ...violationIf(
      length > (asked.body_text_max_length ?? Infinity),
      `takes texts of at most ${asked.body_text_max_length} characters.`,
    ),
    ...violationIf(lacks(body, required), 'wants one of its own words in the text.', required),
  ];
}

function linkViolations(item: PublishItem, asked: Requirements): RuleViolation[] {
  if (kindOf(item) !== 'link' || item.link === null || !URL.canParse(item.link)) return [];
  const bare = (name: string) => name.toLowerCase().replace(/^www\./, '');
  const host = bare(new URL(item.link).hostname);
  const isOf = (domains: readonly string[] | null | undefined) =>
    (domains ?? []).map(bare).some((domain) => host === domain || host.endsWith(`.${domain}`));
  const { link_restriction_policy: policy, domain_whitelist: requested, domain_blacklist: unwanted } = asked;
  return [
    ...violationIf(policy === 'whitelist' && !isOf(requested), 'takes links to these sites only.', requested),
    ...violationIf(policy === 'blacklist' && isOf(unwanted), 'takes no links to this site.', unwanted),
  ];
}

const lacks = (text: string, words: readonly string[] | null | undefined): boolean =>
  (words ?? []).length > 0 && !words?.some((word) => text.toLowerCase().includes(word.toLowerCase()));
