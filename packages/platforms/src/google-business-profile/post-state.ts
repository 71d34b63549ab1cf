import {
  ok,
  quotePlatform,
  refuse,
  type PlatformFailureCode,
  type PublishedPart,
  type Result,
  type Session,
} from '@switchboard/platform-kit';
import { nullIfNotFound, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { waitUntilPublished } from '@switchboard/platform-kit/wait-until-published';
import { manifest } from './manifest.js';
import { localPost, requestJson, type LocalPost } from './wire.js';

/** The delays before each poll, in milliseconds: a minute in total. A longer wait is continued by `find`. */
const POLL_DELAYS_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** The receipt key with the name of a post that Google has accepted. Nothing is sent after that. */
const POST = 'post';
export const acceptedPost = (receipt: Readonly<Record<string, string>>): string | null =>
  receipt[POST] ?? null;
export const receiptOfAccepted = (name: string) => ({ [POST]: name });

export const partOf = ({ name, searchUrl }: Pick<LocalPost, 'name' | 'searchUrl'>): PublishedPart => ({
  externalId: name,
  url: searchUrl || null,
  receipt: {},
});

/** Where a post is: its name is a path. */
export const postPath = (name: string): string => `/v4/${name.split('/').map(encodeURIComponent).join('/')}`;

/** Null: "Returns NOT_FOUND if the local post does not exist." */
export const getPost = (session: Session, name: string): AdapterResult<LocalPost | null> =>
  requestJson(session, postPath(name), localPost, nullIfNotFound);

/** Only `LIVE` is "published and … currently appearing in search results". Null: not decided yet. */
export function decisionOf<Value>(
  { state }: Pick<LocalPost, 'state'>,
  live: Value,
): Result<Value, PlatformFailureCode> | null {
  if (state === 'LIVE') return ok(live);
  return state === 'REJECTED' ? rejected : null;
}

export const isProcessing = ({ state }: Pick<LocalPost, 'state'>): boolean => state === 'PROCESSING';

const rejected = refuse(
  'platform.refused',
  'Google rejected this post because of its content policy, and does not show it.',
  {
    platform: quotePlatform(
      manifest.name,
      'This post was rejected due to content policy violation.',
      'REJECTED',
    ),
  },
);

/** Waits until Google has decided about a post that it has accepted: a reviewed post may be rejected. */
export const waitForDecision = <Value>(
  session: Session,
  name: string,
  valueOf: (post: LocalPost) => Value,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<Value> =>
  waitUntilPublished<Value>(session, {
    name: manifest.name,
    delaysMs,
    async look() {
      const seen = await getPost(session, name);
      if (!seen.ok) return seen;
      return ok(seen.value ? decisionOf(seen.value, valueOf(seen.value)) : gone);
    },
  });

const gone = refuse('platform.outcome_unknown', 'Google no longer has this post.');

export const stillProcessing = refuse('platform.unavailable', 'Google is still processing the post.', {
  retryAfterSeconds: 60,
});
