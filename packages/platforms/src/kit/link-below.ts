import type { Draft } from '@switchboard/domain';

/** A link that the text does not hold yet stands below it: where platforms have no field for one. */
export const linkBelow = ({ text, link }: Pick<Draft, 'text' | 'link'>): string => {
  if (link === null || holdsLink(text, link)) return text;
  return text.trim() === '' ? link : `${text.trimEnd()}\n${link}`;
};

/** What may follow a link without belonging to it: nothing, a space, or what closes a sentence before one of them. */
const ENDS = /^[.,;:!?…)\]}'"’”»]*(?:\s|$)/u;

/** Whether it stands there whole: the beginning of a longer one is another link. */
export function holdsLink(text: string, link: string): boolean {
  for (let at = text.indexOf(link); at >= 0; at = text.indexOf(link, at + 1)) {
    if (ENDS.test(text.slice(at + link.length))) return true;
  }
  return false;
}
