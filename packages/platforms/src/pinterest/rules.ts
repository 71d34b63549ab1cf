import type { Problem, PartDraft, Publishing } from '@switchboard/platform-kit';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { LINK_MAX, options } from './manifest.js';

/** Every video that Pinterest accepts lasts at least four seconds; the first frame is often black. */
const COVER_SECOND = '1';
/** A board, or a board and its section. */
const PLACE = /^\d+(\/\d+)?$/;

/** Where a pin is created, in the format of the choices of `board_id`. */
export function boardOf(draft: Pick<PartDraft, 'options'>): {
  readonly board: string;
  readonly section?: string;
} {
  const { board_id: place = '' } = optionsOf(draft);
  const [board = '', section] = place.split('/');
  return { board, ...(section !== undefined && { section }) };
}

export const coverSecondOf = (draft: Pick<PartDraft, 'options'>): number =>
  Number(optionsOf(draft).cover_second ?? COVER_SECOND);

const optionsOf = optionReader(options);

export const rules = {
  count: codePoints,
  finalText: ({ text }) => text,
  check: (draft) => [...linkProblems(draft), ...optionProblems(draft)],
} satisfies Partial<Publishing>;

function linkProblems({ link }: PartDraft): Problem[] {
  const used = codePoints(link ?? '');
  if (used <= LINK_MAX) return [];
  const message = `A link may have at most ${LINK_MAX} characters; this one has ${used}.`;
  return [{ path: 'link', code: 'link.too_long', message }];
}

function optionProblems(draft: PartDraft): Problem[] {
  const { board_id: place, cover_second: second } = optionsOf(draft);
  const problem = (name: string, message: string): Problem[] => [
    { path: `options.${name}`, code: 'option.invalid', message },
  ];
  return [
    ...(place === undefined || PLACE.test(place)
      ? []
      : problem('board_id', 'Unknown board. The account’s publishing options list the boards.')),
    ...(second === undefined || /^\d{1,3}$/.test(second)
      ? []
      : problem('cover_second', 'The cover second must be an integer from 0 to 999.')),
  ];
}
