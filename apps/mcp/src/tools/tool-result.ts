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
  const { sentence, value, valueJson } = isError
    ? describeFailure(response, availableTools)
    : describeSuccess(operation, response, availableTools, options);
  const { sanitized, json } = sanitizeAsJson(value, valueJson);
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

interface Description {
  readonly sentence: string;
  readonly value: object;
  /** The value as JSON, where it was written already. */
  readonly valueJson?: string;
}

function describeSuccess(
  operation: Operation,
  response: OperationResponse,
  availableTools: readonly BoundTool[],
  { detail = false, ...names }: ResultOptions,
): Description {
  const shown = detail || operation.compact === null ? response.value : operation.compact(response.value);
  const shownJson = JSON.stringify(shown);
  // Searched only where a next call may be found.
  const mayNameNext = shownJson.includes('"next":{');
  const value = mayNameNext ? (withNextTools(shown, availableTools) as object) : shown;
  return {
    sentence: [
      operation.sentence(response.value, names),
      ...describeNextCalls(operation, value),
      ...untrustedContentNotice(operation),
    ].join(' '),
    value,
    ...(!mayNameNext && { valueJson: shownJson }),
  };
}

function describeFailure(response: OperationResponse, availableTools: readonly BoundTool[]): Description {
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

const oneLine = (sentence: string): string => sanitizeText(sentence).replace(/\s+/g, ' ').trim();
