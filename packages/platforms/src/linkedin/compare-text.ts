import { normalizeText } from '../kit/normalize-text.js';

const LINK = /https?:\/\/\S+/giu;

const SHORTENED = /^https:\/\/lnkd\.in\//i;

/**
 * Whether a text that LinkedIn tells is one that was sent. `shortened`: but for links in whose place LinkedIn put its own;
 * `almost`: but for its links.
 */
export function compareText(reported: string, sent: string): 'same' | 'shortened' | 'almost' | 'other' {
  const withoutLinks = (text: string) => normalizeText(text.replace(LINK, ' % '));
  if (withoutLinks(reported) !== withoutLinks(sent)) return 'other';
  const links: readonly string[] = sent.match(LINK) ?? [];
  const others = (reported.match(LINK) ?? []).filter((link, at) => link !== links[at]);
  if (others.length === 0) return 'same';
  return others.every((link) => SHORTENED.test(link)) ? 'shortened' : 'almost';
}
