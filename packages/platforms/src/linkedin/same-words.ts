import { plainWords } from '../kit/plain-words.js';

const LINK = /https?:\/\/\S+/giu;

/** Whether a text that LinkedIn tells is one that was sent. `almost`: but for its links, which LinkedIn may have shortened. */
export function saysSame(told: string, sent: string): 'same' | 'almost' | 'other' {
  const withoutLinks = (text: string) => plainWords(text.replace(LINK, ' % '));
  if (withoutLinks(told) !== withoutLinks(sent)) return 'other';
  const links: readonly string[] = sent.match(LINK) ?? [];
  return (told.match(LINK) ?? []).every((link, at) => link === links[at]) ? 'same' : 'almost';
}
