import { ok, refuse, type Publishing, type PublishOption } from '@switchboard/platform-kit';
import { anyResponse } from '@switchboard/platform-kit/platform-client';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { submitForm, readJson } from './client.js';
import { commentPart, findComment, findPost } from './find-post.js';
import { exists, whereShown } from './post-state.js';
import { bodyOf, rules, isSubreddit, subredditOf } from './rules.js';
import { mayBeSubmitted, submit } from './submit.js';
import {
  createdComment,
  DELETED_AUTHOR,
  editedThings,
  requestJson,
  subreddits,
  written,
  type Subreddit,
} from './wire.js';
import { listFlairs } from './flair.js';
import { manifest } from './manifest.js';
import { isClosed } from './subreddit-rules.js';

const PAGE = 100;
/** One request per subreddit. The flair of an unlisted subreddit may still be used. */
const FLAIR_QUERIES_MAX = 5;

/**
 * Where the account may post: its own profile, the subreddits that it moderates, and those that it subscribed
 * to. A flair belongs to one subreddit, which its label names; the flairs of the first few subreddits are
 * listed, or of the few that a search names.
 */
const options: NonNullable<Publishing['options']> = async (session, query) => {
  const [moderated, subscribed] = await Promise.all([
    readJson(session, '/subreddits/mine/moderator', subreddits, { limit: PAGE }),
    readJson(session, '/subreddits/mine/subscriber', subreddits, { limit: PAGE }),
  ]);
  if (!moderated.ok) return moderated;
  if (!subscribed.ok) return subscribed;
  const listed = [...moderated.value.data.children, ...subscribed.value.data.children];
  const byName = new Map(listed.map(({ data }) => [data.display_name, data]));
  const places = [...byName.values()].filter(canPost);

  const flairs: { value: string; label: string }[] = [];
  for (const name of subredditsForFlair(places, query).slice(0, FLAIR_QUERIES_MAX)) {
    const known = await listFlairs(session, name);
    // A subreddit whose flairs cannot be read does not hide the other choices.
    if (known.ok) {
      flairs.push(...known.value.map(({ id, text }) => ({ value: id, label: `r/${name}: ${text}` })));
    }
  }
  const username = session.account.username;
  const own = username === null ? [] : [{ value: `u_${username}`, label: `u/${username}, the profile` }];
  const choices = new Map<string, PublishOption['choices']>([
    ['subreddit', [...own, ...places.map((place) => ({ value: place.display_name, label: labelOf(place) }))]],
    ['flair', flairs],
  ]);
  return ok({
    options: manifest.options
      .filter(({ name }) => choices.has(name))
      // Most subreddits are open to every account, and each has its own flairs.
      .map((option) => ({ ...option, choices: choices.get(option.name), more: true })),
  });
};

/** First the searched subreddit, with or without membership; the query may also match a flair. */
function subredditsForFlair(places: readonly Subreddit[], query: string | undefined): readonly string[] {
  const known = places
    .filter(({ link_flair_enabled: has }) => has === true)
    .map(({ display_name: name }) => name);
  const requested = subredditOf({ options: { subreddit: query } });
  if (!isSubreddit(requested)) return known;
  const own = known.find((name) => name.toLowerCase() === requested.toLowerCase());
  return [...new Set([own ?? requested, ...known])];
}

function canPost(place: Subreddit): boolean {
  const { subreddit_type: type } = place;
  return place.user_is_banned !== true && type !== 'archived' && type !== 'user' && !isClosed(place);
}

const labelOf = ({ display_name: name, submission_type: type, ...place }: Subreddit): string => {
  const takes = [
    ...(type === 'link' ? [] : ['text']),
    ...(type === 'self' ? [] : ['links']),
    ...(type === 'self' || place.allow_images === false ? [] : ['images']),
    ...(type === 'self' || place.allow_videos === false ? [] : ['videos']),
  ];
  return `r/${name}: ${takes.join(', ')}`;
};

const LOOK_SECONDS = 30;

export const publishing: Publishing = {
  ...rules,
  options,

  async publish(session, item, saveReceipt) {
    if (item.kind === 'post') return submit(session, item, saveReceipt);
    const form = {
      api_type: 'json',
      thing_id: item.replyTo?.parent.externalId ?? '',
      text: bodyOf(item),
    };
    const posted = await submitForm(session, { path: '/api/comment', form }, createdComment);
    if (!posted.ok) return posted;
    const [{ data: listed }] = posted.value.things;
    return whereShown(listed, commentPart(listed));
  },

  async find(session, item) {
    if (item.kind !== 'post') return findComment(session, item);
    const found = await findPost(session, item);
    // Reddit may process an image or a video for minutes, so that its absence proves nothing.
    if (!found.ok || found.value || !mayBeSubmitted(item)) return found;
    return refuse('platform.unavailable', 'Reddit may still be processing the media.', {
      retryAfterSeconds: LOOK_SECONDS,
    });
  },

  /** https://www.reddit.com/dev/api#POST_api_editusertext */
  async edit(session, { externalId }, item) {
    const form = { api_type: 'json', thing_id: externalId, text: bodyOf(item) };
    const edited = await submitForm(session, { path: '/api/editusertext', form }, editedThings);
    return edited.ok ? ok() : edited;
  },

  async isEdited(session, { externalId }, item) {
    const result = await readJson(session, '/api/info', written, { id: externalId });
    if (!result.ok) return result;
    const found = result.value.data.children.find(({ data }) => data.name === externalId)?.data;
    if (!found) return refuse('platform.outcome_unknown', 'Reddit does not list the post.');
    const text = found.selftext ?? found.body ?? '';
    return ok(found.author !== DELETED_AUTHOR && normalizeText(text) === normalizeText(bodyOf(item)));
  },

  checkEdit(before, after) {
    const cannot = (path: string, message: string) =>
      [{ path, code: 'post.edit_unsupported', message }] as const;
    if (before.kind !== 'post') return [];
    if (before.mediaCount > 0 || before.link !== null || after.link !== null)
      return cannot('text', 'Reddit edits only posts that are a text, and comments. Unpublish it instead.');
    return before.title === after.title
      ? []
      : cannot('title', 'Reddit does not change the title of a post. Unpublish it instead.');
  },

  exists,

  /** Reddit reports nothing else about a post that is gone. */
  async remove(session, { externalId }) {
    const removed = await requestJson(
      session,
      { method: 'POST', path: '/api/del', form: { id: externalId }, effect: 'idempotent' },
      anyResponse,
    );
    return removed.ok ? ok() : removed;
  },
};
