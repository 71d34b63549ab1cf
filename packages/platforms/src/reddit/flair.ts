import { ok, quotePlatform, refuse, type PublishItem, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { mapFailureBeforeSend } from '@switchboard/platform-kit/map-failure-before-send';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { readJson } from './client.js';
import { optionsOf, subredditOf } from './rules.js';
import { errorMapping, flairs } from './wire.js';

interface Flair {
  readonly id: string;
  readonly text: string;
}

/** The flairs that the account may assign to its posts there. A 403 means that there are none for it. */
export const listFlairs = (session: Session, subreddit: string): AdapterResult<readonly Flair[]> =>
  readJson(session, `/r/${encodeURIComponent(subreddit)}/api/link_flair_v2`, flairs, {}, (_words, response) =>
    errorMapping.classify(response, { message: '' }) === 'platform.refused'
      ? ok<readonly Flair[]>([])
      : undefined,
  );

/** The ID of the requested flair, by its text or its ID. Null: none is requested. */
export async function resolveFlair(session: Session, item: PublishItem): AdapterResult<string | null> {
  const { flair } = optionsOf(item);
  if (flair === undefined) return ok(null);
  const known = await listFlairs(session, subredditOf(item));
  if (!known.ok)
    return mapFailureBeforeSend(errorMapping, known, 'which flairs the subreddit has. Nothing was posted.');
  const requested = normalizeText(flair).toLowerCase();
  const found = known.value.find(
    ({ id, text }) => id === flair || normalizeText(text).toLowerCase() === requested,
  );
  if (found) return ok(found.id);
  const theirs = known.value.map(({ text }) => text).join(', ');
  return refuse('platform.refused', 'The subreddit has no such flair. `platform` lists the available ones.', {
    platform: quotePlatform(errorMapping.name, theirs || 'none'),
  });
}
