import { nextCall } from '@switchboard/domain';
import { createErrorResponse, type OperationResponse } from './operation-response.js';
import type { Operation } from '../define.js';

/** For a list call with an invalid cursor: the same call without the cursor, as the next call. */
export function restartCursor(
  { name }: Operation,
  wire: unknown,
  response: OperationResponse,
  requestId: string,
): OperationResponse {
  const { failure } = response;
  if (failure?.code !== 'request.invalid_cursor' || failure.next) return response;
  const { cursor: _, ...rest } = wire as Readonly<Record<string, unknown>>;
  return createErrorResponse({ ...failure, next: nextCall.repeat(name, rest) }, requestId);
}
