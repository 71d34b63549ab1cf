import type { Problem, PartDraft, Publishing, PublishItem } from '@switchboard/platform-kit';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { options } from './manifest.js';

export const optionsOf = optionReader(options);

/** A subreddit's canonical name from any common notation: r/pottery, its URL, u/name. */
export function subredditOf({ options: provided }: Pick<PartDraft, 'options'>): string {
  const written = optionsOf({ options: provided }).subreddit?.trim() ?? '';
  const [, kind = 'r', name = written] =
    /^(?:https?:\/\/(?:\w+\.)?reddit\.com)?\/?(r|u|user)\/([^/\s]+)\/?$/i.exec(written) ?? [];
  return kind.toLowerCase() === 'r' ? name : `u_${name}`;
}

export type PostKind = 'self' | 'link' | 'image' | 'gallery' | 'video';

export function kindOf({ link, media }: Pick<PublishItem, 'link' | 'media'>): PostKind {
  const [first, ...others] = media;
  if (!first) return link === null ? 'self' : 'link';
  if (first.kind === 'video') return 'video';
  return others.length > 0 ? 'gallery' : 'image';
}

/** The body of the post: a link without media is the post itself and has its own field. */
export const bodyOf = (draft: Pick<PartDraft, 'kind' | 'text' | 'link' | 'mediaCount'>): string =>
  draft.kind === 'post' && draft.mediaCount === 0 ? draft.text : appendLink(draft);

export const rules = {
  count: codePoints,
  finalText: appendLink,
  check: (draft) => [...subredditProblems(draft), ...flairProblems(draft)],
} satisfies Partial<Publishing>;

const NAME = /^(?:[a-z0-9]\w{1,20}|u_[\w-]{3,20})$/i;
/** They list other communities' posts. */
const VIRTUAL_SUBREDDITS = new Set(['all', 'popular', 'home', 'friends', 'mod', 'random']);

export const isSubreddit = (name: string): boolean =>
  NAME.test(name) && !VIRTUAL_SUBREDDITS.has(name.toLowerCase());

function subredditProblems(draft: PartDraft): Problem[] {
  const name = subredditOf(draft);
  if (name === '' || isSubreddit(name)) return [];
  const message = 'No post can be submitted to this subreddit. Write it as r/name, or u/name for a profile.';
  return [{ path: 'options.subreddit', code: 'option.invalid', message }];
}

function flairProblems(draft: PartDraft): Problem[] {
  const { flair, flair_text: text } = optionsOf(draft);
  if (text === undefined || flair !== undefined) return [];
  const message = '`flair_text` requires `flair`.';
  return [{ path: 'options.flair_text', code: 'option.invalid', message }];
}
