import { plainWords } from '../kit/plain-words.js';

const LINK = /https?:\/\/\S+/giu;

const SHORTENED = /^https:\/\/lnkd\.in\//i;

/**
 * Whether a text that LinkedIn tells is one that was sent. `shortened`: but for links in whose place LinkedIn put its own;
 * `almost`: but for its links.
 */
export function saysSame(told: string, sent: string): 'same' | 'shortened' | 'almost' | 'other' {
  const withoutLinks = (text: string) => plainWords(text.replace(LINK, ' % '));
  if (withoutLinks(told) !== withoutLinks(sent)) return 'other';
  const links: readonly string[] = sent.match(LINK) ?? [];
  const others = (told.match(LINK) ?? []).filter((link, at) => link !== links[at]);
  if (others.length === 0) return 'same';
  return others.every((link) => SHORTENED.test(link)) ? 'shortened' : 'almost';
}
