import type { ApiKey } from '@switchboard/domain/access';
import { writeOnce, type OperationResponse } from './operation-response.js';

const MASK = '***';

/**
 * Texts of a store may contain names of customers. A key that hides personal data receives only the store and
 * the error code, in every response about orders and refunds: failures, sources, stored errors and replays
 * alike.
 */
export function redactPlatformQuotes(response: OperationResponse, key: ApiKey): OperationResponse {
  if (!key.policy.hidePersonalData) return response;
  if (!response.body().includes('"platform":{')) return response;
  const value = redact(response.value) as OperationResponse['value'];
  return { ...response, value, body: writeOnce(value) };
}

function redact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) =>
      name === 'platform' && typeof inner === 'object' && inner !== null && 'message' in inner
        ? [name, { ...inner, message: MASK }]
        : [name, redact(inner)],
    ),
  );
}
