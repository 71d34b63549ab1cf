import type { PartDraft, Publishing } from '@switchboard/platform-kit';
import { utf16Units } from '@switchboard/platform-kit/counting/utf16-units';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { reelProblems } from './reels.js';

/** With media, and in a comment, there is no field for a link: it is appended to the text. */
export const finalText = (draft: PartDraft): string => (sharesLink(draft) ? draft.text : appendLink(draft));

/** Whether the link is shown as the shared content, with the text above it. */
export const sharesLink = ({ kind, link, mediaCount }: PartDraft): boolean =>
  kind !== 'comment' && link !== null && mediaCount === 0;

export const rules = { count: utf16Units, finalText, check: reelProblems } satisfies Partial<Publishing>;
