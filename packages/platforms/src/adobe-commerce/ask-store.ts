import type { PlatformFailureCode, PlatformRequest, Result, Session } from '@switchboard/domain';
import type { z } from 'zod';
import { failed, refusal, unreadable, type Words } from '../kit/answers.js';
import { dialect, storeConfigs } from './wire.js';

/** A hundred orders with everything that belongs to them stay below this. */
const BYTES_MAX = 16 * 1024 * 1024;

type Asked = Pick<PlatformRequest, 'method' | 'path' | 'query' | 'json' | 'effect'>;

/** Asks below `/rest/V1`, or below where somebody typed that the API is (`/rest/default`). */
export async function askStore<Value, Own extends Result<unknown> = never>(
  session: Session,
  asked: Asked,
  schema: z.ZodType<Value>,
  onRefusal?: (words: Words, status: number) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> {
  const outcome = await session.request({
    ...asked,
    path: pathOf(session, asked.path),
    maxBytes: BYTES_MAX,
    // A 401 may be about this request alone.
    everyAnswer: true,
  });
  if (!outcome.ok) return outcome;
  const answer = outcome.value;
  if (answer.status >= 500) return failed(dialect, asked.effect);
  if (answer.status === 401) {
    const known = await askWhetherKnown(session);
    if (!known.ok) return known;
    // Who may is asked before anything is done, so that of a write too it is certain.
    return refusal(dialect, answer, 'read');
  }
  if (answer.ok) {
    const read = schema.safeParse(answer.json);
    return read.success ? { ok: true, value: read.data } : unreadable(dialect, asked.effect);
  }
  const words = answer.status === 408 ? null : dialect.words(answer);
  const own = words && onRefusal?.(words, answer.status);
  return own ?? refusal(dialect, answer, asked.effect);
}

/** The store has the same 401 for a token that it does not know and for one that may not do this. This every token of ours may. */
export const askWhetherKnown = (session: Session) =>
  session.request({
    method: 'GET',
    path: pathOf(session, '/store/storeConfigs'),
    effect: 'read',
    maxBytes: BYTES_MAX,
  });

export const askStoreConfigs = (session: Session) =>
  askStore(session, { method: 'GET', path: '/store/storeConfigs', effect: 'read' }, storeConfigs);

const pathOf = ({ baseUrl }: Session, path: string): string =>
  `${/\/rest(\/\w+)?$/.test(new URL(baseUrl).pathname) ? '' : '/rest'}/V1${path}`;
