import type { Problem, PartDraft, Publishing } from '@switchboard/platform-kit';
import { hashtags } from '@switchboard/platform-kit/counting/hashtags';
import { utf16Units } from '@switchboard/platform-kit/counting/utf16-units';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { HASHTAGS_MAX, MENTIONS_MAX, options } from './manifest.js';

/**
 * Documented is 4:5; 3:4 is accepted since the app shows it (NOTES.md). Instagram decides on ratios between
 * the two.
 */
const TALLEST_POST = 3 / 4;
const STORY_SECONDS_MAX = 60;

const optionsOf = optionReader(options);

export const isStory = (draft: Pick<PartDraft, 'options'>): boolean => optionsOf(draft).post_type === 'story';
export const sharesToFeed = (draft: Pick<PartDraft, 'options'>): boolean | undefined =>
  optionsOf(draft).share_to_feed;

/** Where links are not clickable. */
export const finalText = appendLink;

export const rules = {
  count: utf16Units,
  finalText,
  check: (draft: PartDraft) => [
    ...tagProblems(draft),
    ...(isStory(draft) ? storyProblems(draft) : aspectRatioProblems(draft)),
  ],
} satisfies Partial<Publishing>;

const MENTION = /(?<![\w@.])@[\w.]*\w/g;

/** Of a caption, and of a comment. */
function tagProblems(draft: PartDraft): Problem[] {
  const text = finalText(draft);
  const mentions = text.match(MENTION)?.length ?? 0;
  return [
    ...tooMany('text.too_many_hashtags', 'hashtags', hashtags(text), HASHTAGS_MAX),
    ...tooMany('text.too_many_mentions', 'mentioned accounts', mentions, MENTIONS_MAX),
  ];
}

const tooMany = (code: Problem['code'], what: string, many: number, max: number): Problem[] =>
  many > max
    ? [{ path: 'text', code, message: `Instagram allows ${max} ${what}; this text has ${many}.` }]
    : [];

/** One image or video, and no text. */
function storyProblems(draft: PartDraft): Problem[] {
  const problem = (message: string): Problem[] => [
    { path: 'options.post_type', code: 'option.invalid', message },
  ];
  if (draft.kind === 'comment') {
    return [{ path: 'text', code: 'option.invalid', message: 'A story cannot have comments.' }];
  }
  if (finalText(draft).trim() !== '') return problem('A story has no text.');
  if (draft.mediaCount > 1) return problem('A story is one image or one video.');
  const seconds = draft.media?.[0]?.durationSeconds ?? 0;
  return seconds > STORY_SECONDS_MAX
    ? problem(`A story video lasts at most ${STORY_SECONDS_MAX} seconds; this one lasts ${seconds}.`)
    : [];
}

/** An image that could only be a story. */
const aspectRatioProblems = ({ media = [] }: PartDraft): Problem[] =>
  media.some(({ kind, width, height }) => kind === 'image' && (width ?? 1) / (height ?? 1) < TALLEST_POST)
    ? [{ path: 'media', code: 'media.aspect_ratio_unsupported', message: TOO_TALL }]
    : [];

const TOO_TALL = 'A post image may be at most 3:4; a story (`post_type`) may be 9:16.';
