import type { Problem, PartDraft, Publishing } from '@switchboard/platform-kit';
import { utf16Units } from '@switchboard/platform-kit/counting/utf16-units';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { options } from './manifest.js';

export const optionsOf = optionReader(options);

export const rules = {
  count: utf16Units,
  finalText: ({ text }) => text,
  check: (draft) => [...topicProblems(draft), ...actionProblems(draft)],
} satisfies Partial<Publishing>;

type OptionName = (typeof options)[number]['name'];

const problem = (name: OptionName | 'link', code: Problem['code'], message: string): Problem => ({
  path: name === 'link' ? name : `options.${name}`,
  code,
  message,
});

const EVENT_OPTIONS = ['event_title', 'event_start', 'event_end'] as const;
const OFFER_OPTIONS = ['coupon_code', 'terms'] as const;

function topicProblems(draft: PartDraft): Problem[] {
  const given = optionsOf(draft);
  const { topic_type: topic = 'standard', event_start: start, event_end: end } = given;
  const foreign = (names: readonly OptionName[], kinds: string) =>
    names
      .filter((name) => given[name] !== undefined)
      .map((name) => problem(name, 'option.invalid', `Only ${kinds} has this. Set topic_type accordingly.`));
  if (topic === 'standard')
    return [...foreign(EVENT_OPTIONS, 'an event or an offer'), ...foreign(OFFER_OPTIONS, 'an offer')];
  const missing = EVENT_OPTIONS.filter((name) => (given[name] ?? '').trim() === '').map((name) =>
    problem(name, 'option.required', `An ${topic} at Google requires it.`),
  );
  const unreadable = (
    [
      ['event_start', start],
      ['event_end', end],
    ] as const
  )
    .filter(([, value]) => value !== undefined && parseMoment(value, 'start') === null)
    .map(([name]) =>
      problem(name, 'option.invalid', 'Expected a date (2026-12-24) or a local time (2026-12-24T18:00).'),
    );
  const [from, to] = [parseMoment(start ?? '', 'start'), parseMoment(end ?? '', 'end')];
  const isReversed = from !== null && to !== null && to.ms < from.ms;
  return [
    ...missing,
    ...unreadable,
    ...(isReversed ? [problem('event_end', 'option.invalid', 'The end must not be before the start.')] : []),
    ...(topic === 'event' ? foreign(OFFER_OPTIONS, 'an offer') : []),
  ];
}

function actionProblems(draft: PartDraft): Problem[] {
  const { topic_type: topic, call_to_action: action } = optionsOf(draft);
  if (action === undefined) return [];
  if (topic === 'offer') {
    const message = 'An offer has no button of its own: its link is where it is redeemed.';
    return [problem('call_to_action', 'option.invalid', message)];
  }
  if (action === 'call')
    return draft.link === null
      ? []
      : [problem('link', 'option.invalid', 'The button to call has no link: it calls the location.')];
  return draft.link === null
    ? [problem('link', 'option.required', 'This button needs the link that it opens.')]
    : [];
}

/** A local time at the location, in Google's form; null if the text is none. */
export interface Moment {
  readonly date: { readonly year: number; readonly month: number; readonly day: number };
  readonly time: { readonly hours: number; readonly minutes: number };
  /** For comparisons only: the time zone is the location's. */
  readonly ms: number;
}

const MOMENT = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}))?$/;

/** A date alone is its whole day: Google requires a time with every date. */
export function parseMoment(text: string, edge: 'start' | 'end'): Moment | null {
  const [, year, month, day, hours, minutes] = MOMENT.exec(text) ?? [];
  if (day === undefined) return null;
  const whole = edge === 'start' ? { hours: 0, minutes: 0 } : { hours: 23, minutes: 59 };
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const time = hours === undefined ? whole : { hours: Number(hours), minutes: Number(minutes) };
  const ms = Date.UTC(date.year, date.month - 1, date.day, time.hours, time.minutes);
  const isReal =
    new Date(ms).toISOString().startsWith(text.slice(0, 10)) && time.hours < 24 && time.minutes < 60;
  return isReal ? { date, time, ms } : null;
}
