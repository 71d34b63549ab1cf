import type { Result, PlatformFailureCode, Session } from '@switchboard/platform-kit';
import { parseResponse } from '@switchboard/platform-kit/parse-response';
import type { z } from 'zod';
import {
  toPlatformRequest,
  serverFailure,
  refusal,
  unreadableResponse,
  type AdapterRequest,
  type PlatformError,
} from '@switchboard/platform-kit/platform-client';
import { errorMapping, storeConfigs } from './wire.js';

/** A hundred orders with all their related objects stay below this size. */
const BYTES_MAX = 16 * 1024 * 1024;

/** Sends requests below `/rest/V1`, or below a typed API path (`/rest/default`). */
export async function requestStore<Value, Own extends Result<unknown> = never>(
  session: Session,
  request: AdapterRequest,
  schema: z.ZodType<Value>,
  onRefusal?: (words: PlatformError, status: number) => Own | undefined,
): Promise<Result<Value, PlatformFailureCode> | Own> {
  const requested = toPlatformRequest(request);
  const outcome = await session.request({
    ...requested,
    path: pathOf(session, requested.path),
    maxBytes: BYTES_MAX,
    // A 401 may concern this request alone.
    acceptsErrorStatuses: true,
  });
  if (!outcome.ok) return outcome;
  const response = outcome.value;
  if (response.status >= 500) return serverFailure(errorMapping, requested.effect);
  if (response.status === 401) {
    const known = await verifyToken(session);
    if (!known.ok) return known;
    // The store checks authorization before it does anything, so the outcome of a write is certain too.
    return refusal(errorMapping, response, 'read');
  }
  if (response.ok) {
    const read = parseResponse(schema, response.json);
    return read.success ? { ok: true, value: read.data } : unreadableResponse(errorMapping, requested.effect);
  }
  const words = response.status === 408 ? null : errorMapping.parseError(response);
  const own = words && onRefusal?.(words, response.status);
  return own ?? refusal(errorMapping, response, requested.effect);
}

/**
 * The store responds with the same 401 to an unknown token and to one without the permission. This request is
 * permitted to every token of ours.
 */
const verifyToken = (session: Session) =>
  session.request({
    method: 'GET',
    path: pathOf(session, '/store/storeConfigs'),
    effect: 'read',
    maxBytes: BYTES_MAX,
  });

export const fetchStoreConfigs = (session: Session) =>
  requestStore(session, '/store/storeConfigs', storeConfigs);

const pathOf = ({ baseUrl }: Session, path: string): string =>
  `${/\/rest(\/\w+)?$/.test(new URL(baseUrl).pathname) ? '' : '/rest'}/V1${path}`;
