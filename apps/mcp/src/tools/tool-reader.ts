import { problemDetailsSchema, type OperationResponse } from '@switchboard/operations';
import { sanitizeFields, sanitizeText } from './sanitize-text.js';
import { ProtocolError, type ProtocolErrorKind } from '../protocol/protocol-error.js';

/**
 * Reads through a read-only tool: with the same scopes, limits and failures, and a response sanitized like a
 * tool result.
 */
export type ToolReader = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
) => Promise<OperationResponse>;

/** The read value; a failure becomes a protocol error with the failure of the tool as its data. */
export function unwrapResponse(response: OperationResponse): Readonly<Record<string, unknown>> {
  const value = sanitizeFields(response.value);
  if (response.status < 400) return value;
  const { detail, code } = problemDetailsSchema.parse(response.value);
  // The next call is named by its operation and may be unavailable: only a tool result names it as a tool.
  const { next: _, ...data } = value;
  throw new ProtocolError(
    errorKindByStatus[response.status] ?? 'internal',
    sanitizeText(`${detail} (${code})`),
    data,
  );
}

const errorKindByStatus: Readonly<Record<number, ProtocolErrorKind>> = {
  400: 'invalid_params',
  401: 'invalid_request',
  403: 'invalid_request',
  404: 'not_found',
};
