import type { PartDraft, Problem, Publishing } from '@switchboard/domain';
import { z } from 'zod';
import { hashtags } from '../kit/counting/hashtags.js';
import { utf16Units } from '../kit/counting/utf16-units.js';
import { appendLink } from '../kit/append-link.js';
import { HASHTAGS_MAX, MENTIONS_MAX } from './manifest.js';

/** Documented is 4:5; 3:4 has been taken since the app shows it (NOTES.md). What is in between Instagram judges. */
const TALLEST_POST = 3 / 4;
const STORY_SECONDS_MAX = 60;

const options = z.object({
  post_type: z.enum(['feed', 'story']).exactOptional(),
  share_to_feed: z.boolean().exactOptional(),
});

const optionsOf = (draft: Pick<PartDraft, 'options'>): z.infer<typeof options> =>
  options.safeParse(draft.options).data ?? {};

export const isStory = (draft: Pick<PartDraft, 'options'>): boolean => optionsOf(draft).post_type === 'story';
export const sharesToFeed = (draft: Pick<PartDraft, 'options'>): boolean | undefined =>
  optionsOf(draft).share_to_feed;

/** Where nobody can click the link. */
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
    ...tooMany('text.too_many_mentions', 'accounts that are mentioned', mentions, MENTIONS_MAX),
  ];
}

const tooMany = (code: string, what: string, many: number, max: number): Problem[] =>
  many > max ? [{ path: 'text', code, message: `Instagram takes ${max} ${what}, this has ${many}.` }] : [];

/** One picture or film, and nothing said about it. */
function storyProblems(draft: PartDraft): Problem[] {
  const problem = (message: string) => [{ path: 'options.post_type', code: 'option.invalid', message }];
  if (draft.kind === 'comment') {
    return [{ path: 'text', code: 'option.invalid', message: 'Nothing can be put below a story.' }];
  }
  if (finalText(draft).trim() !== '') return problem('A story has no text beside its picture or film.');
  if (draft.mediaCount > 1) return problem('A story is one picture or one film.');
  const seconds = draft.media?.[0]?.durationSeconds ?? 0;
  return seconds > STORY_SECONDS_MAX
    ? problem(`A film of a story takes ${STORY_SECONDS_MAX} seconds at most, this one ${seconds}.`)
    : [];
}

/** A picture that could only be a story. */
const aspectRatioProblems = ({ media = [] }: PartDraft): Problem[] =>
  media.some(({ kind, width, height }) => kind === 'image' && (width ?? 1) / (height ?? 1) < TALLEST_POST)
    ? [{ path: 'media', code: 'media.aspect_ratio_unsupported', message: TOO_TALL }]
    : [];

const TOO_TALL =
  'A picture of a post is no taller than 3:4. As a story (`post_type`) it may be as tall as 9:16.';
