import { problemSchema, type Answer, type Operation } from '@switchboard/operations';
import { adviceFor } from './advice.js';
import { cleanFields, cleanText } from './clean-text.js';
import type { BoundTool } from './tool.js';

/** What a tool call answers with: the same twice, as a value and as text that opens with one plain sentence. */
export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError: boolean;
}

export function toolResult(operation: Operation, answer: Answer, tools: readonly BoundTool[]): ToolResult {
  const isError = answer.status >= 400;
  const sentence = isError ? explain(answer, tools) : operation.sentence(answer.value);
  const structuredContent = cleanFields(answer.value);
  const text = `${oneLine(sentence)}\n${JSON.stringify(structuredContent)}`;
  return { content: [{ type: 'text', text }], structuredContent, isError };
}

function explain(answer: Answer, tools: readonly BoundTool[]): string {
  const problem = problemSchema.parse(answer.value);
  return `${problem.detail} (${problem.code}) ${adviceFor(problem, tools)}`;
}

const oneLine = (sentence: string): string => cleanText(sentence).replace(/\s+/g, ' ').trim();
