import { plainWords } from '../kit/plain-words.js';

const LINK = /https?:\/\/\S+/giu;
/** What LinkedIn may write in place of a link that is long. */
const SHORTENED = /^https:\/\/lnkd\.in\//i;

/** As LinkedIn tells it, and as it was sent. */
export const sameLinks = (told: string, sent: string): boolean =>
  told === sent || (sent !== '' && SHORTENED.test(told));

/** Whether a text that LinkedIn tells is one that was sent. `almost`: but for its links. */
export function saysSame(told: string, sent: string): 'same' | 'almost' | 'other' {
  const withoutLinks = (text: string) => plainWords(text.replace(LINK, ' % '));
  if (withoutLinks(told) !== withoutLinks(sent)) return 'other';
  const links: readonly string[] = sent.match(LINK) ?? [];
  return (told.match(LINK) ?? []).every((link, at) => sameLinks(link, links[at] ?? '')) ? 'same' : 'almost';
}
