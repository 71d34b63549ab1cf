import { parseFetchedFile, type FetchFile } from '../meta/fetched-file.js';
import { fieldsOf, textOf, type Read, type WireResponse } from '../wire/exchange.js';
import { badRequest, invalidField } from './errors.js';

const FIELDS = ['languageCode', 'summary', 'callToAction', 'event', 'media', 'topicType', 'offer'];
const TOPICS = ['STANDARD', 'EVENT', 'OFFER'];
const ACTIONS = ['BOOK', 'ORDER', 'SHOP', 'LEARN_MORE', 'SIGN_UP', 'CALL'];
const SUMMARY_MAX = 1_500;
const IMAGE_BYTES_MAX = 5 * 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;
const has = (fields: Fields, name: string) => fields[name] !== undefined;

/** The fields of a LocalPost that may be sent; anything else is an unknown name in JSON. */
export const unknownField = (fields: Fields, known: readonly string[]): WireResponse | null => {
  const name = Object.keys(fields).find((one) => !known.includes(one));
  return name === undefined
    ? null
    : badRequest(`Invalid JSON payload received. Unknown name "${name}": Cannot find field.`);
};

/**
 * A new post, by developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts (a copy of
 * 2026-09-11).
 */
export async function readLocalPost(body: unknown, fetchFile: FetchFile) {
  const fields = fieldsOf(body);
  const unknown = unknownField(fields, FIELDS);
  if (unknown) return unknown;
  const topicType = textOf(fields['topicType']);
  if (topicType === '') return invalidField('topic_type', 'Topic type is required for post creation.');
  if (!TOPICS.includes(topicType)) return badRequest(`Invalid value at 'local_post.topic_type'`);
  const content = readContent(fields, topicType);
  if ('status' in content) return content;
  const media = Array.isArray(fields['media']) ? (fields['media'] as readonly unknown[]) : [];
  if (media.length > 1) return invalidField('media', 'Only one media item is allowed.');
  const files: Read<typeof readMedia>[] = [];
  for (const one of media) {
    const file = await readMedia(fieldsOf(one), fetchFile);
    if ('status' in file) return file;
    files.push(file);
  }
  return { ...content, topicType, files };
}

/** What `patch` may change as well. */
export function readContent(fields: Fields, topicType: string) {
  const summary = textOf(fields['summary']);
  if (summary.length > SUMMARY_MAX) {
    return invalidField('summary', `Summary is longer than ${SUMMARY_MAX} characters.`);
  }
  if (has(fields, 'offer') && topicType !== 'OFFER')
    return invalidField('offer', 'Offer is only allowed for the topic type OFFER.');
  const needsEvent = topicType !== 'STANDARD';
  if (needsEvent !== has(fields, 'event'))
    return invalidField('event', needsEvent ? 'Event is required.' : 'Event is not allowed.');
  const problem =
    (needsEvent ? eventError(fieldsOf(fields['event'])) : null) ??
    (has(fields, 'callToAction') ? actionError(fieldsOf(fields['callToAction'])) : null) ??
    (has(fields, 'offer')
      ? unknownField(fieldsOf(fields['offer']), ['couponCode', 'redeemOnlineUrl', 'termsConditions'])
      : null);
  const part = (name: string) => (has(fields, name) ? fieldsOf(fields[name]) : null);
  return (
    problem ?? {
      summary,
      // "Ignored for topic type OFFER."
      callToAction: topicType === 'OFFER' ? null : part('callToAction'),
      event: part('event'),
      offer: part('offer'),
    }
  );
}

/** "It must contain all fields to be valid." */
function eventError(event: Fields): WireResponse | null {
  if (textOf(event['title']) === '') return invalidField('event.title', 'Event title is required.');
  const schedule = fieldsOf(event['schedule']);
  const missing = ['startDate', 'startTime', 'endDate', 'endTime'].find((name) => !has(schedule, name));
  if (missing !== undefined) return invalidField('event.schedule', `${missing} is required.`);
  const at = (date: string, time: string) => {
    const [day, clock] = [fieldsOf(schedule[date]), fieldsOf(schedule[time])];
    const numbers = [day['year'], day['month'], day['day'], clock['hours'] ?? 0, clock['minutes'] ?? 0];
    const [year = NaN, month = NaN, dayOfMonth = NaN, hours = NaN, minutes = NaN] = numbers.map((one) =>
      typeof one === 'number' ? one : NaN,
    );
    return Date.UTC(year, month - 1, dayOfMonth, hours, minutes);
  };
  const [start, end] = [at('startDate', 'startTime'), at('endDate', 'endTime')];
  return end >= start ? null : invalidField('event.schedule', 'The end must not be before the start.');
}

function actionError(action: Fields): WireResponse | null {
  const type = textOf(action['actionType']);
  if (!ACTIONS.includes(type)) return badRequest(`Invalid value at 'local_post.call_to_action.action_type'`);
  const url = textOf(action['url']);
  if (type === 'CALL')
    return url === '' ? null : invalidField('call_to_action.url', 'URL must be unset for CALL.');
  return URL.canParse(url) ? null : invalidField('call_to_action.url', 'A valid URL is required.');
}

async function readMedia(media: Fields, fetchFile: FetchFile) {
  if (media['mediaFormat'] !== 'PHOTO') return invalidField('media', 'Only photos are allowed.');
  // "sourceUrl is the only supported data field for a LocalPost MediaItem."
  if (textOf(media['sourceUrl']) === '') return invalidField('media', 'sourceUrl is required.');
  const content = await fetchFile(textOf(media['sourceUrl']));
  if (!content) return invalidField(null, 'Fetching image failed.', 1000);
  const { type, bytes, sha256 } = parseFetchedFile(content);
  if (!['image/jpeg', 'image/png'].includes(type))
    return invalidField('media', 'The image is neither JPEG nor PNG.');
  return bytes > IMAGE_BYTES_MAX ? invalidField('media', 'The image is too large.') : { type, sha256, bytes };
}
