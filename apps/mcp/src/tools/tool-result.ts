import { problemDetailsSchema, type OperationResponse, type Operation } from '@switchboard/operations';
import { adviceFor } from './advice.js';
import { sanitizeFields, sanitizeText } from './sanitize-text.js';
import { untrustedContentNotice, platformQuoteNotice } from './untrusted-content-notice.js';
import { sanitizeNames } from './sanitize-name.js';
import { nextToolOf, withNextTools } from './next-tool.js';
import type { BoundTool } from './tool.js';

/**
 * The result of a tool call: the same response twice, as a value and as text that opens with one plain
 * sentence.
 */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError: boolean;
}

/**
 * `within` are the tools that this caller could call next; `detail`: the full response, where the tool
 * returns a compact one by default.
 */
export function toolResult(
  operation: Operation,
  response: OperationResponse,
  availableTools: readonly BoundTool[],
  detail = false,
): ToolResult {
  const isError = response.status >= 400;
  const { sentence, value } = isError
    ? describeFailure(response, availableTools)
    : {
        sentence: [operation.sentence(response.value), ...untrustedContentNotice(operation)].join(' '),
        value: resolveNextTools(detail ? response : compactResponse(operation, response), availableTools),
      };
  const structuredContent = sanitizeFields(value);
  const json = JSON.stringify(structuredContent);
  const text = `${oneLine([sentence, ...platformQuoteNotice(json)].join(' '))}\n${json}`;
  return { content: [{ type: 'text', text }], structuredContent, isError };
}

function describeFailure(
  response: OperationResponse,
  availableTools: readonly BoundTool[],
): { sentence: string; value: object } {
  const { next: named, candidates, ...problem } = problemDetailsSchema.parse(response.value);
  const next = nextToolOf(response, availableTools);
  const advice = adviceFor(problem, next, named !== undefined);
  return {
    sentence: `${problem.detail} (${problem.code}) ${advice}`,
    value: {
      ...problem,
      ...(candidates && { candidates: candidates.map(sanitizeNames) }),
      ...(next && { next }),
    },
  };
}

const compactResponse = ({ compact }: Operation, response: OperationResponse): OperationResponse =>
  compact === null ? response : { ...response, value: compact(response.value) };

/** Searched only where a next call may be found. */
const resolveNextTools = (
  { body, value }: OperationResponse,
  availableTools: readonly BoundTool[],
): object => (body.includes('"next":{') ? (withNextTools(value, availableTools) as object) : value);

const oneLine = (sentence: string): string => sanitizeText(sentence).replace(/\s+/g, ' ').trim();
