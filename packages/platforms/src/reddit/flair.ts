import { ok, quotePlatform, refuse, type PublishItem, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { plainWords } from '../kit/plain-words.js';
import { read } from './ask.js';
import { optionsOf, subredditOf } from './rules.js';
import { dialect, flairs } from './wire.js';

export interface Flair {
  readonly id: string;
  readonly text: string;
}

/** Those that the account may give its posts there. A 403 says that there are none for it. */
export const flairsOf = (session: Session, subreddit: string): Answer<readonly Flair[]> =>
  read(session, `/r/${encodeURIComponent(subreddit)}/api/link_flair_v2`, flairs, {}, (_words, answer) =>
    dialect.meaning(answer, { message: '' }) === 'platform.refused' ? ok<readonly Flair[]>([]) : undefined,
  );

/** The id of the flair that is asked for, by its words or its id. Null: none is. */
export async function chosenFlair(session: Session, item: PublishItem): Answer<string | null> {
  const { flair } = optionsOf(item);
  if (flair === undefined) return ok(null);
  const known = await flairsOf(session, subredditOf(item));
  if (!known.ok) return beforeSending(dialect, known, 'which flairs the subreddit has. Nothing was posted.');
  const wanted = plainWords(flair).toLowerCase();
  const found = known.value.find(({ id, text }) => id === flair || plainWords(text).toLowerCase() === wanted);
  if (found) return ok(found.id);
  const theirs = known.value.map(({ text }) => text).join(', ');
  return refuse('platform.refused', 'The subreddit has no such flair. Those that it has are quoted beside.', {
    platform: quotePlatform(dialect.name, theirs || 'none'),
  });
}
