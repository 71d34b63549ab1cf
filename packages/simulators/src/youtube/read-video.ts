import { fieldsOf, textOf, textsOf } from '../wire/exchange.js';
import { googleError } from './errors.js';

const TITLE_MAX = 100;
const DESCRIPTION_BYTES_MAX = 5_000;
const TAGS_MAX = 500;
const PRIVACY = ['private', 'public', 'unlisted'];
/** The assignable categories of videoCategories.list for the United States. */
const CATEGORIES = ['1', '2', '10', '15', '17', '19', '20', '22', '23', '24', '25', '26', '27', '28', '29'];

const invalid = (reason: string, what: string) =>
  googleError(400, reason, `The request metadata specifies ${what}.`);

/** Validates an inserted video resource according to developers.google.com/youtube/v3/docs/videos. */
export function readVideo(body: unknown, notifiesSubscribers: boolean) {
  const snippet = fieldsOf(fieldsOf(body)['snippet']);
  const [title, description] = [textOf(snippet['title']), textOf(snippet['description'])];
  const angled = /[<>]/;
  if (title.trim() === '' || [...title].length > TITLE_MAX || angled.test(title)) {
    return invalid('invalidTitle', 'an invalid or empty video title');
  }
  if (Buffer.byteLength(description) > DESCRIPTION_BYTES_MAX || angled.test(description)) {
    return invalid('invalidDescription', 'an invalid video description');
  }
  const tags = textsOf(snippet['tags']);
  if (lengthOf(tags) > TAGS_MAX) return invalid('invalidTags', 'invalid video keywords');
  const categoryId = textOf(snippet['categoryId']) || '22';
  if (!CATEGORIES.includes(categoryId)) return invalid('invalidCategoryId', 'an invalid category ID');
  const status = readStatus(body);
  if ('status' in status) return status;
  return { title, description, tags, categoryId, notifiesSubscribers, ...status };
}

/** Properties omitted from a part are deleted, even when only this part is updated. */
export function readStatus(body: unknown) {
  const status = fieldsOf(fieldsOf(body)['status']);
  const flag = (name: string) => (typeof status[name] === 'boolean' ? status[name] : null);
  const privacyStatus = textOf(status['privacyStatus']) || 'public';
  if (!PRIVACY.includes(privacyStatus)) {
    return invalid('invalidVideoMetadata', 'an invalid privacy status');
  }
  return {
    privacyStatus,
    selfDeclaredMadeForKids: flag('selfDeclaredMadeForKids'),
    containsSyntheticMedia: flag('containsSyntheticMedia'),
  };
}

/** Commas count, and so do the quotation marks around a tag with a space. */
const lengthOf = (tags: readonly string[]): number =>
  tags.map((tag) => (tag.includes(' ') ? `"${tag}"` : tag)).join(',').length;
