import type { PublishItem } from '@switchboard/platform-kit';
import { normalizeLink } from '@switchboard/platform-kit/normalize-link';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { optionsOf, parseMoment, rules } from './rules.js';
import type { LocalPost } from './wire.js';

const TOPICS = { standard: 'STANDARD', event: 'EVENT', offer: 'OFFER' } as const;

/** The content of a post in Google's form, without its image. */
export function contentOf(item: Omit<PublishItem, 'media'>) {
  const given = optionsOf(item);
  const { topic_type: topic = 'standard', coupon_code: couponCode, terms: termsConditions } = given;
  const summary = rules.finalText(item);
  const redeemOnlineUrl = item.link ?? undefined;
  const event = topic === 'standard' ? null : eventOf(given);
  const callToAction = topic === 'offer' ? null : actionOf(item);
  return {
    ...(summary !== '' && { summary }),
    topicType: TOPICS[topic],
    ...(callToAction && { callToAction }),
    ...(event && { event }),
    ...(topic === 'offer' && { offer: { couponCode, redeemOnlineUrl, termsConditions } }),
  };
}

/** What an edit replaces: the text, and the field that has the link. */
export function editOf(item: Omit<PublishItem, 'media'>) {
  const { summary = '', callToAction, offer } = contentOf(item);
  return offer
    ? { mask: 'summary,offer', body: { summary, offer } }
    : { mask: 'summary,callToAction', body: { summary, ...(callToAction && { callToAction }) } };
}

function eventOf({
  event_title: title,
  event_start: start = '',
  event_end: end = '',
}: ReturnType<typeof optionsOf>) {
  const [from, to] = [parseMoment(start, 'start'), parseMoment(end, 'end')];
  return {
    title,
    schedule: { startDate: from?.date, startTime: from?.time, endDate: to?.date, endTime: to?.time },
  };
}

/** A button opens the link; the one to call has none. */
function actionOf(item: Pick<PublishItem, 'link' | 'options'>) {
  const { call_to_action: action = item.link === null ? undefined : 'learn_more' } = optionsOf(item);
  if (action === undefined) return null;
  const url = action === 'call' ? null : item.link;
  return { actionType: action.toUpperCase(), ...(url !== null && { url }) };
}

type Comparable = Pick<LocalPost, 'summary' | 'topicType' | 'callToAction' | 'event' | 'offer'>;

export const hasSameText = (post: LocalPost, item: PublishItem): boolean =>
  normalizeText(post.summary ?? '') === normalizeText(rules.finalText(item));

/** Everything that Google returns of a post equals the item; an image is returned under another address. */
export const matchesItem = (post: LocalPost, item: PublishItem): boolean =>
  JSON.stringify(comparable(post)) === JSON.stringify(comparable(contentOf(item))) &&
  (post.media ?? []).length === item.mediaCount;

/** Whether the post shows the text and the link of the item. */
export const showsEdit = (post: LocalPost, item: PublishItem): boolean => {
  const { body } = editOf(item);
  const [shown, wanted] = [
    comparable(post),
    comparable({ ...post, callToAction: null, offer: null, ...body }),
  ];
  return JSON.stringify(shown) === JSON.stringify(wanted);
};

/** Google omits zeros and empty texts. */
function comparable({ summary, topicType, callToAction, event, offer }: Comparable): unknown {
  const { schedule } = event ?? {};
  const dateOf = (date: { year?: unknown; month?: unknown; day?: unknown } | null | undefined) =>
    [date?.year, date?.month, date?.day].map((part) => part ?? 0);
  const timeOf = (time: { hours?: unknown; minutes?: unknown } | null | undefined) =>
    [time?.hours, time?.minutes].map((part) => part ?? 0);
  return [
    normalizeText(summary ?? ''),
    topicType ?? '',
    callToAction?.actionType ?? '',
    normalizeLink(callToAction?.url),
    normalizeText(event?.title ?? ''),
    [dateOf(schedule?.startDate), timeOf(schedule?.startTime)],
    [dateOf(schedule?.endDate), timeOf(schedule?.endTime)],
    normalizeText(offer?.couponCode ?? ''),
    normalizeLink(offer?.redeemOnlineUrl),
    normalizeText(offer?.termsConditions ?? ''),
  ];
}
