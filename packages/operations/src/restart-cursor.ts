import { nextCall } from '@switchboard/domain';
import { createErrorResponse, type OperationResponse } from './operation-response.js';
import type { Operation } from './define.js';

/** A list whose cursor is not good can be begun again: the same call without it. */
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
