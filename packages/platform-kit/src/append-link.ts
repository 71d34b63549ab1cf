import type { PartDraft } from '@switchboard/domain/ports';

/**
 * Appends the link on its own line unless the text already contains it: for platforms without a field for
 * links.
 */
export const appendLink = ({ text, link }: Pick<PartDraft, 'text' | 'link'>): string => {
  if (link === null || containsLink(text, link)) return text;
  return text.trim() === '' ? link : `${text.trimEnd()}\n${link}`;
};

export const containsLink = (text: string, link: string): boolean => indexOfLink(text, link) >= 0;

/**
 * The index at which the text contains the link by itself, not as the beginning of a longer URL; -1 if it
 * does not.
 */
export function indexOfLink(text: string, link: string): number {
  for (let start = text.indexOf(link); start >= 0; start = text.indexOf(link, start + 1)) {
    const rest = /^\S*/u.exec(text.slice(start + link.length))?.[0] ?? '';
    if (/^[\p{P}]*$/u.test(rest) && !rest.startsWith('/')) return start;
  }
  return -1;
}
