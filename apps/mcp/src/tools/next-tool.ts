import type { OperationResponse } from '@switchboard/operations';
import type { BoundTool } from './tool.js';

/** A call that an agent can make unchanged: `operation` is the name of the tool. */
export interface NextTool {
  readonly operation: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

type NamedCall = NextTool | null | undefined;

const toNextTool = (next: NamedCall, availableTools: readonly BoundTool[]): NextTool | null => {
  const bound = availableTools.find(({ operation }) => operation.name === next?.operation);
  return next && bound ? { operation: bound.tool.name, arguments: next.arguments } : null;
};

/** The next call after a failure for a caller with these tools: the best available alternative. */
export const nextToolOf = (
  { failure, value }: OperationResponse,
  availableTools: readonly BoundTool[],
): NextTool | null =>
  toNextTool(value['next'] as NamedCall, availableTools) ?? toNextTool(failure?.fallback, availableTools);

/** The same for responses whose items each have a next call: null when no available tool makes it. */
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
