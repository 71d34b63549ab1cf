import { expect, test } from '@jest/globals';
import { buildItem } from '@switchboard/platform-kit/testing/calls';
import { contentOf } from './content.js';
import { parseMoment, rules } from './rules.js';

type Draft = Parameters<typeof buildItem>[1];
const problemsOf = (more: Draft) =>
  rules.check(buildItem('Bread', more)).map(({ path, code }) => `${path} ${code}`);
const event = {
  topic_type: 'event',
  event_title: 'Open day',
  event_start: '2026-12-24T18:00',
  event_end: '2026-12-24T22:00',
};

test.each<readonly [string, Draft, readonly string[]]>([
  ['an update needs nothing else', {}, []],
  ['an event has a title, a start and an end', { options: event }, []],
  [
    'an event without them is incomplete',
    { options: { topic_type: 'event', event_title: ' ' } },
    [
      'options.event_title option.required',
      'options.event_start option.required',
      'options.event_end option.required',
    ],
  ],
  [
    'an offer without them is incomplete, too',
    { options: { topic_type: 'offer', coupon_code: 'RYE' } },
    [
      'options.event_title option.required',
      'options.event_start option.required',
      'options.event_end option.required',
    ],
  ],
  [
    'an update has no event and no coupon',
    { options: { event_title: 'Open day', coupon_code: 'RYE' } },
    ['options.event_title option.invalid', 'options.coupon_code option.invalid'],
  ],
  ['an event has no coupon', { options: { ...event, terms: 'None' } }, ['options.terms option.invalid']],
  [
    'a time must exist',
    { options: { ...event, event_start: '2026-02-30', event_end: 'tomorrow' } },
    ['options.event_start option.invalid', 'options.event_end option.invalid'],
  ],
  [
    'an event does not end before its start',
    { options: { ...event, event_end: '2026-12-24T17:59' } },
    ['options.event_end option.invalid'],
  ],
  ['a whole day ends after its start', { options: { ...event, event_end: '2026-12-24' } }, []],
  ['a button needs a link', { options: { call_to_action: 'book' } }, ['link option.required']],
  [
    'the button to call has no link',
    { link: 'https://example.com', options: { call_to_action: 'call' } },
    ['link option.invalid'],
  ],
  ['the button to call stays without one', { options: { call_to_action: 'call' } }, []],
  [
    'an offer has no button',
    { link: 'https://example.com', options: { ...event, topic_type: 'offer', call_to_action: 'shop' } },
    ['options.call_to_action option.invalid'],
  ],
])('%s', (_name, draft, problems) => {
  expect(problemsOf(draft)).toEqual(problems);
});

test('an offer is sent with its event, its coupon and where it is redeemed', () => {
  const options = {
    ...event,
    topic_type: 'offer',
    event_end: '2026-12-31',
    coupon_code: 'RYE',
    terms: 'One each',
  };
  expect(contentOf(buildItem('Half price', { link: 'https://example.com/rye', options }))).toEqual({
    summary: 'Half price',
    topicType: 'OFFER',
    event: {
      title: 'Open day',
      schedule: {
        startDate: { year: 2026, month: 12, day: 24 },
        startTime: { hours: 18, minutes: 0 },
        endDate: { year: 2026, month: 12, day: 31 },
        endTime: { hours: 23, minutes: 59 },
      },
    },
    offer: { couponCode: 'RYE', redeemOnlineUrl: 'https://example.com/rye', termsConditions: 'One each' },
  });
});

test.each(['2026-12-24T24:00', '2026-12-24T10:60', '2026-13-01', '26-12-24', '2026-12-24T10:00Z', ''])(
  '%j is no local time',
  (text) => expect(parseMoment(text, 'start')).toBeNull(),
);
