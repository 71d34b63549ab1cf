import type { Draft } from '@switchboard/domain';

/** A link that the text does not hold yet stands below it: where platforms have no field for one. */
export const linkBelow = ({ text, link }: Pick<Draft, 'text' | 'link'>): string => {
  if (link === null || text.includes(link)) return text;
  return text.trim() === '' ? link : `${text.trimEnd()}\n${link}`;
};
