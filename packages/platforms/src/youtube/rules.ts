import type { Problem, PartDraft, Publishing } from '@switchboard/platform-kit';
import { utf16Units } from '@switchboard/platform-kit/counting/utf16-units';
import { utf8Bytes } from '@switchboard/platform-kit/counting/utf8-bytes';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { options } from './manifest.js';

const TAGS_MAX = 500;

/** With the defaults. */
export function optionsOf(draft: Pick<PartDraft, 'options'>) {
  const { visibility = 'public', tags = [], ...others } = readOptions(draft);
  return Object.assign(others, { visibility, tags });
}
const readOptions = optionReader(options);

export const rules = {
  count: utf8Bytes,
  finalText: appendLink,
  check: (draft) => (draft.kind === 'comment' ? commentProblems(draft) : videoProblems(draft)),
} satisfies Partial<Publishing>;

function videoProblems(draft: PartDraft): Problem[] {
  const problems: Problem[] = [];
  const angled = (path: string, code: Problem['code'], text: string) => {
    const message = 'YouTube does not allow < or > in titles and descriptions.';
    if (/[<>]/.test(text)) problems.push({ path, code, message });
  };
  angled('title', 'option.invalid', draft.title ?? '');
  angled('text', 'text.character_unsupported', appendLink(draft));
  const used = lengthOf(optionsOf(draft).tags);
  if (used > TAGS_MAX) {
    const message = `All tags together may have ${TAGS_MAX} characters with their commas and quotation marks; these have ${used}.`;
    problems.push({ path: 'options.tags', code: 'option.invalid', message });
  }
  return problems;
}

/** YouTube counts the commas between tags, and quotation marks around one with a space. */
const lengthOf = (tags: readonly string[]): number =>
  utf16Units(tags.map((tag) => (tag.includes(' ') ? `"${tag}"` : tag)).join(','));

function commentProblems(draft: PartDraft): Problem[] {
  const { visibility, made_for_kids: forKids } = optionsOf(draft);
  if (visibility !== 'private' && forKids !== true) return [];
  const message = 'YouTube has no comments on videos that are private or made for kids.';
  return [{ path: 'text', code: 'comment.unsupported', message }];
}
