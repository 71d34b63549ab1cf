import type { Draft, Problem, Publishing } from '@switchboard/domain';
import { z } from 'zod';
import { hashtags } from '../kit/counting/hashtags.js';
import { utf16Units } from '../kit/counting/utf16-units.js';
import { linkBelow } from '../kit/link-below.js';
import { HASHTAGS_MAX, MENTIONS_MAX } from './manifest.js';

const options = z.object({
  post_type: z.enum(['feed', 'story']).exactOptional(),
  share_to_feed: z.boolean().exactOptional(),
});

const optionsOf = (draft: Pick<Draft, 'options'>): z.infer<typeof options> =>
  options.safeParse(draft.options).data ?? {};

export const isStory = (draft: Pick<Draft, 'options'>): boolean => optionsOf(draft).post_type === 'story';
export const sharesToFeed = (draft: Pick<Draft, 'options'>): boolean | undefined =>
  optionsOf(draft).share_to_feed;

/** Where nobody can click the link. */
export const finalText = linkBelow;

export const rules = {
  count: utf16Units,
  finalText,
  check: (draft: Draft) => [...tooManyTags(draft), ...(isStory(draft) ? noStory(draft) : [])],
} satisfies Partial<Publishing>;

const MENTION = /(?<![\w@.])@[\w.]*\w/g;

/** Of a caption, and of a comment. */
function tooManyTags(draft: Draft): Problem[] {
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
function noStory(draft: Draft): Problem[] {
  const problem = (message: string) => [{ path: 'options.post_type', code: 'option.invalid', message }];
  if (draft.kind === 'comment') {
    return [{ path: 'text', code: 'option.invalid', message: 'Nothing can be put below a story.' }];
  }
  if (finalText(draft).trim() !== '') return problem('A story has no text beside its picture or film.');
  return draft.mediaCount > 1 ? problem('A story is one picture or one film.') : [];
}
