import {
  problemDetailsSchema,
  type OperationResponse,
  type Operation,
  type SentenceNames,
} from '@switchboard/operations';
import { adviceFor, describeNextCalls } from './advice.js';
import { sanitizeAsJson, sanitizeText } from './sanitize-text.js';
import { untrustedContentNotice, platformQuoteNotice } from './untrusted-content-notice.js';
import { sanitizeNames } from './sanitize-name.js';
import { nextToolOf, withNextTools } from './next-tool.js';
import type { BoundTool } from './tool.js';

/**
 * The result of a tool call: the same response twice, as a value and as text that opens with one plain
 * sentence.
 */
export interface ToolResult {
  readonly content: [TextContent, ...(TextContent | ImageContent)[]];
  readonly structuredContent: Record<string, unknown>;
  readonly isError: boolean;
}

interface TextContent {
  readonly type: 'text';
  readonly text: string;
}

/** For clients that show images. */
interface ImageContent {
  readonly type: 'image';
  /** In base64. */
  readonly data: string;
  readonly mimeType: 'image/png';
}

interface ResultOptions extends SentenceNames {
  /** The full response, where the tool returns a compact one by default. */
  readonly detail?: boolean;
}

/** `availableTools` are the tools that this caller could call next. */
export function toolResult(
  operation: Operation,
  response: OperationResponse,
  availableTools: readonly BoundTool[],
  options: ResultOptions,
): ToolResult {
  const isError = response.status >= 400;
  const { sentence, value } = isError
    ? describeFailure(response, availableTools)
    : describeSuccess(operation, response, availableTools, options);
  const { sanitized, json } = sanitizeAsJson(value);
  const text = `${oneLine([sentence, ...platformQuoteNotice(json)].join(' '))}\n${json}`;
  return { content: [{ type: 'text', text }], structuredContent: sanitized, isError };
}

/** The image of an operation that draws one; why there is none where it failed. */
export function imageContent({ status, value }: OperationResponse): TextContent | ImageContent {
  if (status < 400 && typeof value['png'] === 'string') {
    return { type: 'image', data: value['png'], mimeType: 'image/png' };
  }
  const { detail, code } = problemDetailsSchema.parse(value);
  return { type: 'text', text: sanitizeText(`There is no chart: ${detail} (${code})`) };
}

function describeSuccess(
  operation: Operation,
  response: OperationResponse,
  availableTools: readonly BoundTool[],
  { detail = false, ...names }: ResultOptions,
): { sentence: string; value: object } {
  const value = resolveNextTools(detail ? response : compactResponse(operation, response), availableTools);
  return {
    sentence: [
      operation.sentence(response.value, names),
      ...describeNextCalls(operation, value),
      ...untrustedContentNotice(operation),
    ].join(' '),
    value,
  };
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
