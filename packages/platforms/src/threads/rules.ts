import type { Problem, PartDraft, Publishing } from '@switchboard/platform-kit';
import { emojiAsBytes } from '@switchboard/platform-kit/counting/emoji-as-bytes';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { appendLink, containsLink } from '@switchboard/platform-kit/append-link';
import { LINKS_MAX, options } from './manifest.js';

const readOptions = optionReader(options);

type LinkedDraft = Pick<PartDraft, 'text' | 'link' | 'mediaCount'>;

/** What only a post without media may have: a link that is shown as a card and not in the text. */
export const attachedLink = ({ text, link, mediaCount }: LinkedDraft): string | null =>
  link !== null && mediaCount === 0 && text.trim() !== '' && !containsLink(text, link) ? link : null;

/** A link that is not attached and that the text does not contain yet is appended to it. */
export const finalText = (draft: LinkedDraft): string =>
  attachedLink(draft) === null ? appendLink(draft) : draft.text;

/** For the first post: topic and audience apply to the whole thread. */
export const optionsOf = (draft: Pick<PartDraft, 'options' | 'kind'>) =>
  draft.kind === 'post' ? readOptions(draft) : {};

export const rules = {
  count: emojiAsBytes,
  finalText,
  check: (draft: PartDraft) => [...tooManyLinks(draft), ...badTopic(draft)],
} satisfies Partial<Publishing>;

/** Each once, in the text and attached: more are refused since December 2025. */
function tooManyLinks(draft: PartDraft): Problem[] {
  const attached = attachedLink(draft);
  const links = new Set(finalText(draft).match(/\b(?:https?:\/\/|www\.)\S+/gi) ?? []);
  const many = links.size + (attached !== null && !links.has(attached) ? 1 : 0);
  if (many <= LINKS_MAX) return [];
  return [
    {
      path: 'text',
      code: 'text.too_many_links',
      message: `A post may have at most ${LINKS_MAX} links; this one has ${many}.`,
    },
  ];
}

function badTopic(draft: PartDraft): Problem[] {
  const { topic_tag: topic } = optionsOf(draft);
  if (topic === undefined || (topic.trim() !== '' && !/[.&]/.test(topic))) return [];
  const message = 'A topic has 1 to 50 characters, without periods and ampersands.';
  return [{ path: 'options.topic_tag', code: 'option.invalid', message }];
}
