import { problemDetailsSchema, type OperationResponse } from '@switchboard/operations';
import { sanitizeFields, sanitizeText } from './sanitize-text.js';
import { ProtocolError, type ProtocolErrorKind } from './protocol-error.js';

/** Reads through a tool that only reads: the same scopes, limits and refusals, and what it answers cleaned as a tool's result is. */
export type ToolReader = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
) => Promise<OperationResponse>;

/** What was read; a refusal becomes the protocol's own error, with what a tool would have said of it as its data. */
export function unwrapResponse(response: OperationResponse): Readonly<Record<string, unknown>> {
  const value = sanitizeFields(response.value);
  if (response.status < 400) return value;
  const { detail, code } = problemDetailsSchema.parse(response.value);
  // The next call is named by its operation, and may be out of reach: only a tool's result tells it in words of tools.
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
