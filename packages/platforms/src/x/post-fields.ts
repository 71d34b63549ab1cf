import {
  ok,
  type Result,
  type PlatformFailureCode,
  type PlatformRequest,
  type Session,
} from '@switchboard/platform-kit';
import type { z } from 'zod';
import { requestJson } from './wire.js';

/** The names of a post's fields since X's description of 2026-08-07. Not listed: unchanged. */
const RENAMED: Readonly<Record<string, string>> = { note_tweet: 'note_post' };
/** A former field that is an expansion since. */
const EXPANSIONS: Readonly<Record<string, string>> = { referenced_tweets: 'referenced_posts' };

type PostQuery = NonNullable<PlatformRequest['query']>;
type PostsResult<Value> = Promise<Result<Value, PlatformFailureCode>>;

/**
 * Reads posts by the names that X has used since 2021, and by those of its description of 2026-08-07 if X no
 * longer accepts the former, or responds without the fields (`isComplete`).
 */
export async function requestPosts<Value>(
  session: Session,
  path: string,
  query: PostQuery,
  fields: readonly string[],
  schema: z.ZodType<Value>,
  isComplete: (value: Value) => boolean = () => true,
): PostsResult<Value> {
  const read = await requestJson(
    session,
    { path, query: { ...query, 'tweet.fields': fields.join(',') } },
    schema,
    ({ message }, { status }) => (status === 400 && message.includes('tweet.fields') ? ok(null) : undefined),
  );
  if (!read.ok) return read;
  if (read.value !== null && isComplete(read.value)) return ok(read.value);
  const expansions = [query['expansions'], ...fields.map((name) => EXPANSIONS[name])].filter(Boolean);
  const named = fields.filter((name) => !(name in EXPANSIONS)).map((name) => RENAMED[name] ?? name);
  const renamed = {
    ...query,
    'post.fields': named.join(','),
    expansions: expansions.length > 0 ? expansions.join(',') : undefined,
  };
  return requestJson(session, { path, query: renamed }, schema);
}
