import type { OperationResponse } from '@switchboard/operations';
import type { BoundTool } from './tool.js';

/** A call that an agent can make as it stands: the name is the tool's. */
export interface NextTool {
  readonly operation: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

type NamedCall = NextTool | null | undefined;

const toNextTool = (next: NamedCall, availableTools: readonly BoundTool[]): NextTool | null => {
  const bound = availableTools.find(({ operation }) => operation.name === next?.operation);
  return next && bound ? { operation: bound.tool.name, arguments: next.arguments } : null;
};

/** Where a failure leads whoever has these tools: what helps most, or else what helps at all. */
export const nextToolOf = (
  { failure, value }: OperationResponse,
  availableTools: readonly BoundTool[],
): NextTool | null =>
  toNextTool(value['next'] as NamedCall, availableTools) ?? toNextTool(failure?.fallback, availableTools);

/** The same where an answer's items say what is to be done about each: null where no tool in reach does it. */
export function withNextTools(value: unknown, availableTools: readonly BoundTool[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withNextTools(one, availableTools));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [
      name,
      name === 'next' && isCall(inner)
        ? toNextTool(inner, availableTools)
        : withNextTools(inner, availableTools),
    ]),
  );
}

const isCall = (value: unknown): value is NextTool =>
  typeof value === 'object' && value !== null && 'operation' in value && 'arguments' in value;
