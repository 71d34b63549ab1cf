import { ok, quotePlatform, refuse, type PublishItem, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { mapFailureBeforeSend } from '@switchboard/platform-kit/map-failure-before-send';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { readJson } from './client.js';
import { bodyOf, kindOf, optionsOf, subredditOf, type PostKind } from './rules.js';
import { about, errorMapping, requirements, type Requirements, type Subreddit } from './wire.js';

/** What a subreddit does not accept, with its own message if it has one. */
interface RuleViolation {
  readonly message: string;
  readonly theirs?: readonly string[] | undefined;
}

/**
 * Checks the subreddit's rules before anything is uploaded or sent. Reddit itself validates patterns and
 * banned words, whose comparison is undocumented (`validate_on_submit`).
 */
export async function checkSubreddit(session: Session, item: PublishItem): AdapterResult<undefined> {
  const name = subredditOf(item);
  // An invalid destination and the own profile have no rules.
  if (name === '' || isOwnProfile(session, name)) return ok();
  const place = encodeURIComponent(name);
  const asked = await readJson(session, `/api/v1/${place}/post_requirements`, requirements);
  const missingFact = 'what the subreddit accepts. Nothing was posted.';
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

const isOwnProfile = ({ account }: Session, name: string): boolean =>
  name.toLowerCase() === `u_${account.username ?? ''}`.toLowerCase();

/** Only for accounts that its moderators approved, and this one is not. */
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
  ...violationIf(
    asked.is_flair_required === true && optionsOf(item).flair === undefined,
    'requires a flair.',
  ),
  ...violationIf(
    place.spoilers_enabled === false && optionsOf(item).spoiler === true,
    'does not support spoilers: omit the option.',
  ),
];

const violationIf = (isWrong: boolean, message: string, theirs?: readonly string[] | null): RuleViolation[] =>
  isWrong ? [{ message, theirs: theirs ?? undefined }] : [];

function postViolations(place: Subreddit): RuleViolation[] {
  return [
    ...violationIf(place.user_is_banned === true, 'has banned the account.'),
    ...violationIf(
      ['restricted', 'private'].includes(place.subreddit_type) && isClosed(place),
      'accepts posts only of accounts that its moderators approved.',
    ),
    ...violationIf(place.subreddit_type === 'archived', 'is archived and does not accept posts.'),
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
    ...violationIf(type === 'self' && kind !== 'self', 'accepts text posts only.'),
    ...violationIf(
      type === 'link' && kind === 'self',
      'does not accept text posts: add a link, an image or a video.',
    ),
    ...violationIf(kind === 'image' && place.allow_images === false, 'does not accept images.'),
    ...violationIf(
      kind === 'gallery' && place.allow_galleries === false,
      'does not accept galleries: post one image.',
    ),
    ...violationIf(kind === 'video' && place.allow_videos === false, 'does not accept videos.'),
    ...violationIf(
      kind === 'gallery' && mediaCount < (least ?? 0),
      `requires at least ${least} images in a gallery.`,
    ),
    ...violationIf(
      kind === 'gallery' && mediaCount > (most ?? Infinity),
      `accepts at most ${most} images in a gallery.`,
    ),
  ];
}

function titleViolations(title: string, asked: Requirements): RuleViolation[] {
  const length = codePoints(title);
  const { title_required_strings: required } = asked;
  return [
    ...violationIf(
      length < (asked.title_text_min_length ?? 0),
      `requires titles of at least ${asked.title_text_min_length} characters.`,
    ),
    ...violationIf(
      length > (asked.title_text_max_length ?? Infinity),
      `accepts titles of at most ${asked.title_text_max_length} characters.`,
    ),
    ...violationIf(lacks(title, required), 'requires one of these words in the title.', required),
  ];
}

/** For text posts: the text of a link or an image is not checked. */
function bodyViolations(item: PublishItem, asked: Requirements): RuleViolation[] {
  if (kindOf(item) !== 'self') return [];
  const body = bodyOf(item);
  const length = codePoints(body);
  const { body_required_strings: required, body_restriction_policy: policy } = asked;
  return [
    ...violationIf(policy === 'required' && body.trim() === '', 'requires a text below the title.'),
    ...violationIf(policy === 'notAllowed' && body.trim() !== '', 'does not accept a text below the title.'),
    ...violationIf(
      length < (asked.body_text_min_length ?? 0),
      `requires texts of at least ${asked.body_text_min_length} characters.`,
    ),
    ...violationIf(
      length > (asked.body_text_max_length ?? Infinity),
      `accepts texts of at most ${asked.body_text_max_length} characters.`,
    ),
    ...violationIf(lacks(body, required), 'requires one of these words in the text.', required),
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
    ...violationIf(
      policy === 'whitelist' && !isOf(requested),
      'accepts links to these sites only.',
      requested,
    ),
    ...violationIf(policy === 'blacklist' && isOf(unwanted), 'does not accept links to this site.', unwanted),
  ];
}

const lacks = (text: string, words: readonly string[] | null | undefined): boolean =>
  (words ?? []).length > 0 && !words?.some((word) => text.toLowerCase().includes(word.toLowerCase()));
