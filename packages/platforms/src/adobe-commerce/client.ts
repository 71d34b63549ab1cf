import type { PlatformFailureCode, PlatformRequest, Result, Session } from '@switchboard/domain';
import type { z } from 'zod';
import { serverFailure, refusal, unreadableResponse, type PlatformError } from '../kit/platform-client.js';
import { errorMapping, storeConfigs } from './wire.js';

/** A hundred orders with everything that belongs to them stay below this. */
const BYTES_MAX = 16 * 1024 * 1024;

type StoreRequest = Pick<PlatformRequest, 'method' | 'path' | 'query' | 'json' | 'effect'>;

/** Asks below `/rest/V1`, or below where somebody typed that the API is (`/rest/default`). */
export async function requestStore<Value, Own extends Result<unknown> = never>(
  session: Session,
  requested: StoreRequest,
  schema: z.ZodType<Value>,
  onRefusal?: (words: PlatformError, status: number) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> {
  const outcome = await session.request({
    ...requested,
    path: pathOf(session, requested.path),
    maxBytes: BYTES_MAX,
    // A 401 may be about this request alone.
    acceptsErrorStatuses: true,
  });
  if (!outcome.ok) return outcome;
  const response = outcome.value;
  if (response.status >= 500) return serverFailure(errorMapping, requested.effect);
  if (response.status === 401) {
    const known = await verifyToken(session);
    if (!known.ok) return known;
    // Who may is asked before anything is done, so that of a write too it is certain.
    return refusal(errorMapping, response, 'read');
  }
  if (response.ok) {
    const read = schema.safeParse(response.json);
    return read.success ? { ok: true, value: read.data } : unreadableResponse(errorMapping, requested.effect);
  }
  const words = response.status === 408 ? null : errorMapping.parseError(response);
  const own = words && onRefusal?.(words, response.status);
  return own ?? refusal(errorMapping, response, requested.effect);
}

/** The store has the same 401 for a token that it does not know and for one that may not do this. This every token of ours may. */
export const verifyToken = (session: Session) =>
  session.request({
    method: 'GET',
    path: pathOf(session, '/store/storeConfigs'),
    effect: 'read',
    maxBytes: BYTES_MAX,
  });

export const fetchStoreConfigs = (session: Session) =>
  requestStore(session, { method: 'GET', path: '/store/storeConfigs', effect: 'read' }, storeConfigs);

const pathOf = ({ baseUrl }: Session, path: string): string =>
  `${/\/rest(\/\w+)?$/.test(new URL(baseUrl).pathname) ? '' : '/rest'}/V1${path}`;
