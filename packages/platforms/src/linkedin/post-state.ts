import {
  ok,
  quotePlatform,
  refuse,
  type PlatformFailureCode,
  type PublishedPart,
  type Refused,
  type Result,
  type Session,
} from '@switchboard/domain';
import { afterSending } from '../kit/after-sending.js';
import type { Answer } from '../kit/answers.js';
import { untilReady } from '../kit/until-ready.js';
import { ask, inUrl } from './ask.js';
import { mayRead } from './reading.js';
import { dialect, postState } from './wire.js';

/** Before each look, in milliseconds: a minute in all. What takes longer is followed by `find`. */
const PAUSES_MS: readonly number[] = [0, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** The URN of a post that LinkedIn has taken, in the receipt. Nothing is sent after that. */
const POST = 'post';
export const takenPost = (receipt: Readonly<Record<string, string>>): string | null => receipt[POST] ?? null;
export const receiptOfTaken = (urn: string) => ({ [POST]: urn });

/** Which posts a request lists or shows: those that LinkedIn still publishes, or could not publish, only to their author. */
export const asAuthor = { viewContext: 'AUTHOR' } as const;

export const partOf = (urn: string): PublishedPart => ({
  externalId: urn,
  url: `https://www.linkedin.com/feed/update/${urn}/`,
  receipt: {},
});

/** What LinkedIn says of a post: `unknown` is every other value, and none. */
type PostState = 'published' | 'publishing' | 'failed' | 'unknown';

const STATES: Readonly<Record<string, PostState>> = {
  PUBLISHED: 'published',
  PUBLISH_REQUESTED: 'publishing',
  PUBLISH_FAILED: 'failed',
};
export const stateOf = (lifecycleState: string | null | undefined): PostState =>
  STATES[lifecycleState ?? ''] ?? 'unknown';

/** Null: LinkedIn shows no post by this URN. `unreadable`: not to this login. */
async function look(session: Session, urn: string): Answer<PostState | 'unreadable' | null> {
  if (!mayRead(session, 'r_member_social')) return ok('unreadable');
  const request = {
    method: 'GET',
    path: `/rest/posts/${inUrl(urn)}`,
    query: asAuthor,
    effect: 'read',
  } as const;
  const seen = await ask(session, request, postState, (_words, { status }) => {
    if (status === 403) return ok('unreadable' as const);
    return status === 404 ? ok(null) : undefined;
  });
  if (!seen.ok || seen.value === null || seen.value === 'unreadable') return seen;
  return ok(stateOf(seen.value.lifecycleState));
}

/**
 * Waits until LinkedIn says what became of a post that it has taken: it may be published later, or never. To a login that may not
 * read posts the response to the request, a 201 with the URN of a post that was sent as `PUBLISHED`, is all that is ever said.
 */
export async function settled(session: Session, urn: string, pausesMs = PAUSES_MS): Answer<PublishedPart> {
  const last: { failed: Refused<'platform.refused'> | null } = { failed: null };
  const decided = await untilReady(session, {
    name: dialect.name,
    pausesMs,
    async look() {
      const seen = await look(session, urn);
      if (!seen.ok) return seen;
      if (seen.value === 'published' || seen.value === 'unreadable') return ok('ready');
      if (seen.value !== 'failed') return ok('processing');
      last.failed = notPublished;
      return ok('failed');
    },
  });
  if (last.failed) return last.failed;
  return decided.ok ? ok(partOf(urn)) : afterSending(dialect, refuse('platform.unavailable', ''));
}

/** What became of a post that an earlier attempt was told the URN of. */
export async function findTaken(session: Session, urn: string): Answer<PublishedPart> {
  const seen = await look(session, urn);
  if (!seen.ok) return seen;
  return seen.value === 'unreadable' ? ok(partOf(urn)) : published(seen.value, urn);
}

/** Only `published` is a post that people see. */
export function published(state: PostState | null, urn: string): Result<PublishedPart, PlatformFailureCode> {
  if (state === 'published') return ok(partOf(urn));
  return state === 'publishing'
    ? refuse('platform.unavailable', 'LinkedIn is still publishing the post.', { retryAfterSeconds: 60 })
    : refuse(
        'platform.outcome_unknown',
        'LinkedIn has taken the post and does not say that it is published.',
      );
}

const notPublished = refuse('platform.refused', 'LinkedIn took the post and could not publish it.', {
  platform: quotePlatform(dialect.name, 'lifecycleState: PUBLISH_FAILED', 'PUBLISH_FAILED'),
});
