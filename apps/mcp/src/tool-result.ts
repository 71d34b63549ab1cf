import { problemSchema, type Answer, type Operation } from '@switchboard/operations';
import { adviceFor } from './advice.js';
import { cleanFields, cleanText } from './clean-text.js';
import { markOf, quoteMarkOf } from './mark.js';
import { namesOnly } from './name-only.js';
import { nextToolOf, withNextTools } from './next-tool.js';
import type { BoundTool } from './tool.js';

/** What a tool call answers with: the same twice, as a value and as text that opens with one plain sentence. */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError: boolean;
}

/** `within` are the tools that this caller could call next; `detail`: all of the answer, where the tool gives less by itself. */
export function toolResult(
  operation: Operation,
  answer: Answer,
  within: readonly BoundTool[],
  detail = false,
): ToolResult {
  const isError = answer.status >= 400;
  const { sentence, value } = isError
    ? explained(answer, within)
    : {
        sentence: [operation.sentence(answer.value), ...markOf(operation)].join(' '),
        value: succeeded(detail ? answer : inBrief(operation, answer), within),
      };
  const structuredContent = cleanFields(value);
  const json = JSON.stringify(structuredContent);
  const text = `${oneLine([sentence, ...quoteMarkOf(json)].join(' '))}\n${json}`;
  return { content: [{ type: 'text', text }], structuredContent, isError };
}

function explained(answer: Answer, within: readonly BoundTool[]): { sentence: string; value: object } {
  const { next: named, candidates, ...problem } = problemSchema.parse(answer.value);
  const next = nextToolOf(answer, within);
  const advice = adviceFor(problem, next, named !== undefined);
  return {
    sentence: `${problem.detail} (${problem.code}) ${advice}`,
    value: {
      ...problem,
      ...(candidates && { candidates: candidates.map(namesOnly) }),
      ...(next && { next }),
    },
  };
}

const inBrief = ({ compact }: Operation, answer: Answer): Answer =>
  compact === null ? answer : { ...answer, value: compact(answer.value) };

/** Looked through only where something may be found. */
const succeeded = ({ body, value }: Answer, within: readonly BoundTool[]): object =>
  body.includes('"next":{') ? (withNextTools(value, within) as object) : value;

const oneLine = (sentence: string): string => cleanText(sentence).replace(/\s+/g, ' ').trim();
