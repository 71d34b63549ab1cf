import type { Draft, Publishing } from '@switchboard/domain';
import { utf16Units } from '../kit/counting/utf16-units.js';
import { linkBelow } from '../kit/link-below.js';
import { noReel } from './reels.js';

/** Beside media, and in a comment, there is no field for a link: it stands below the text. */
export const finalText = (draft: Draft): string => (sharesLink(draft) ? draft.text : linkBelow(draft));

/** Whether the link is shown as what is shared, with the words above it. */
export const sharesLink = ({ kind, link, mediaCount }: Draft): boolean =>
  kind !== 'comment' && link !== null && mediaCount === 0;

export const rules = { count: utf16Units, finalText, check: noReel } satisfies Partial<Publishing>;
