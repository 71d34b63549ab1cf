import { problemSchema, type Answer } from '@switchboard/operations';
import { cleanFields, cleanText } from './clean-text.js';
import { ProtocolError, type ProtocolErrorKind } from './protocol-error.js';

/** Reads through a tool that only reads: the same scopes, limits and refusals, and what it answers cleaned as a tool's result is. */
export type Reader = (tool: string, input: Readonly<Record<string, unknown>>) => Promise<Answer>;

/** What was read; a refusal becomes the protocol's own error, with what a tool would have said of it as its data. */
export function valueOf(answer: Answer): Readonly<Record<string, unknown>> {
  const value = cleanFields(answer.value);
  if (answer.status < 400) return value;
  const { detail, code } = problemSchema.parse(answer.value);
  // The next call is named by its operation, and may be out of reach: only a tool's result tells it in words of tools.
  const { next: _, ...data } = value;
  throw new ProtocolError(kinds[answer.status] ?? 'internal', cleanText(`${detail} (${code})`), data);
}

const kinds: Readonly<Record<number, ProtocolErrorKind>> = {
  400: 'invalid_params',
  401: 'invalid_request',
  403: 'invalid_request',
  404: 'not_found',
};
