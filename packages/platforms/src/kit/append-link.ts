import type { PartDraft } from '@switchboard/domain';

/** A link that the text does not hold yet stands below it: where platforms have no field for one. */
export const appendLink = ({ text, link }: Pick<PartDraft, 'text' | 'link'>): string => {
  if (link === null || containsLink(text, link)) return text;
  return text.trim() === '' ? link : `${text.trimEnd()}\n${link}`;
};

export const containsLink = (text: string, link: string): boolean => indexOfLink(text, link) >= 0;

/** Where a link stands in a text on its own, not as the beginning of a longer one; -1 when nowhere. */
export function indexOfLink(text: string, link: string): number {
  for (let start = text.indexOf(link); start >= 0; start = text.indexOf(link, start + 1)) {
    const rest = /^\S*/u.exec(text.slice(start + link.length))?.[0] ?? '';
    if (/^[\p{P}]*$/u.test(rest) && !rest.startsWith('/')) return start;
  }
  return -1;
}
