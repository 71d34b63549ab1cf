import { normalizeText } from '@switchboard/platform-kit/normalize-text';

const LINK = /https?:\/\/\S+/giu;

const SHORTENED = /^https:\/\/lnkd\.in\//i;

/**
 * Whether a text that LinkedIn returns is the one that was sent. `shortened`: except for links that LinkedIn
 * replaced by its own; `almost`: except for its links.
 */
export function compareText(reported: string, sent: string): 'same' | 'shortened' | 'almost' | 'other' {
  const withoutLinks = (text: string) => normalizeText(text.replace(LINK, ' % '));
  if (withoutLinks(reported) !== withoutLinks(sent)) return 'other';
  const links: readonly string[] = sent.match(LINK) ?? [];
  const others = (reported.match(LINK) ?? []).filter((link, at) => link !== links[at]);
  if (others.length === 0) return 'same';
  return others.every((link) => SHORTENED.test(link)) ? 'shortened' : 'almost';
}
