import { ok, refuse, type PublishedPart, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { namedPosts, requestJson } from './wire.js';

/** The type of the problem is a URL below the host of the API, of which X has used two. */
const NOT_FOUND = /\/problems\/resource-not-found$/;

/**
 * X responds with a 200 and a problem for each post that it does not return; another problem than this one, such as
 * `not-authorized-for-resource`, does not say that the post was removed.
 * https://docs.x.com/x-api/fundamentals/response-codes-and-errors
 */
export async function postExists(session: Session, { externalId }: PublishedPart): AdapterResult<boolean> {
  const read = await requestJson(session, { path: '/2/tweets', query: { ids: externalId } }, namedPosts);
  if (!read.ok) return read;
  const { data, errors } = read.value;
  if (data?.some(({ id }) => id === externalId)) return ok(true);
  const isMissing = errors?.some(
    ({ type, resource_id: id }) => id === externalId && NOT_FOUND.test(type ?? ''),
  );
  return isMissing ? ok(false) : refuse('platform.outcome_unknown', 'X does not return the post.');
}
