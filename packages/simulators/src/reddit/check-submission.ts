import { textOf, type Read, type WireResponse } from '../wire/exchange.js';
import { formError } from './errors.js';
import type { RedditState } from './network.js';
import { isClosed, type RedditSubreddit } from './subreddit.js';

/** The fields of a form or a JSON body. */
export type SubmissionFields = Readonly<Record<string, unknown>>;

const TITLE_MAX = 300;
const TEXT_MAX = 40_000;

export const lengthOf = (text: string) => [...text].length;
export const isTrue = (value: unknown) => value === true || /^[^0Ff]/.test(textOf(value));
export const tooLong = (max: number, field: string) =>
  formError('TOO_LONG', `this is too long (max: ${max})`, field);

/** A valid submission, or the refusal, as far as it does not depend on the kind of the post. */
export function checkSubmission(state: RedditState, fields: SubmissionFields, author: string) {
  const place = placeOf(state, fields, author);
  if ('status' in place) return place;
  return wrongWords(fields) ?? wrongForModerators(fields, place) ?? { state, fields, author, place };
}
export type Submission = Read<typeof checkSubmission>;

function placeOf({ find }: RedditState, fields: SubmissionFields, author: string) {
  const name = textOf(fields['sr']);
  if (!/^[A-Za-z0-9_-]{2,23}$/.test(name)) {
    return formError('BAD_SR_NAME', "This community name isn't recognizable. Check the spelling.", 'sr');
  }
  const place = find(name);
  if (!place) return formError('SUBREDDIT_NOEXIST', "Hmm, that community doesn't exist. Try another.", 'sr');
  const isIn = place.contributors.includes(author) || place.moderators.includes(author);
  const isOfOther = place.type === 'user' && place.name !== `u_${author}`;
  return place.banned.includes(author) || (isClosed(place) && !isIn) || isOfOther
    ? formError('SUBREDDIT_NOTALLOWED', "You aren't allowed to post there.", 'sr')
    : place;
}

function wrongWords(fields: SubmissionFields): WireResponse | null {
  const [title, text] = [textOf(fields['title']), textOf(fields['text'])];
  if (title.trim() === '') return formError('NO_TEXT', 'we need something here', 'title');
  if (lengthOf(title) > TITLE_MAX) return tooLong(TITLE_MAX, 'title');
  return lengthOf(text) > TEXT_MAX ? tooLong(TEXT_MAX, 'text') : null;
}

/** The moderators' requirements are checked only with `validate_on_submit`. */
function wrongForModerators(fields: SubmissionFields, { requirements: requested, flairs }: RedditSubreddit) {
  const flairId = textOf(fields['flair_id']);
  if (flairId !== '' && !flairs.some(({ id }) => id === flairId)) {
    return formError('BAD_FLAIR_TEMPLATE_ID', 'not a valid flair template id', 'flair');
  }
  if (!isTrue(fields['validate_on_submit'])) return null;
  if (requested.is_flair_required && flairId === '') {
    return formError('SUBMIT_VALIDATION_FLAIR_REQUIRED', 'Your post must contain post flair.', 'flair');
  }
  const [title, text] = [textOf(fields['title']), textOf(fields['text']).toLowerCase()];
  if (requested.title_regexes.some((regex) => !new RegExp(regex).test(title))) {
    return formError(
      'SUBMIT_VALIDATION_REGEX',
      'Your title does not follow this community’s format.',
      'title',
    );
  }
  return requested.body_blacklisted_strings.some((words) => text.includes(words.toLowerCase()))
    ? formError(
        'SUBMIT_VALIDATION_BODY_BLACKLISTED_STRING',
        'Your body has words that are not allowed.',
        'body',
      )
    : null;
}
