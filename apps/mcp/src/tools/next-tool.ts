import { nextCall } from '@switchboard/domain';
import type { OperationResponse } from '@switchboard/operations';
import type { BoundTool } from './tool.js';

/** A call that an agent can make unchanged: `operation` is the name of the tool. */
export interface NextTool {
  readonly operation: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

type NamedCall = NextTool | null | undefined;

const toNextTool = (next: NamedCall, availableTools: readonly BoundTool[]): NextTool | null =>
  next ? (bind(next, availableTools) ?? bind(readingCall(next), availableTools)) : null;

function bind(next: NamedCall, availableTools: readonly BoundTool[]): NextTool | null {
  const bound = availableTools.find(({ operation }) => operation.name === next?.operation);
  return next && bound ? { operation: bound.tool.name, arguments: next.arguments } : null;
}

/** For a caller without the tool: the call that shows what it would change. */
function readingCall({ operation, arguments: given }: NextTool): NamedCall {
  const text = (name: string): string | null => {
    const value = given[name];
    return typeof value === 'string' ? value : null;
  };
  const [id, connectionId, orderId] = [text('id'), text('connection_id'), text('order_id')];
  switch (operation) {
    case 'recheckDelivery':
    case 'retryPost':
      return id === null ? null : nextCall.getPost(id);
    case 'startConnect':
      return connectionId === null ? nextCall.listConnections() : nextCall.getConnection(connectionId);
    case 'quoteRefund':
      return orderId === null ? null : nextCall.getOrder(orderId);
    case 'recheckRefund':
    case 'getRefund':
      return nextCall.listRefunds();
    case 'getProfile':
      return nextCall.listProfiles();
    default:
      return null;
  }
}

/** The next call after a failure for a caller with these tools: the best available alternative. */
export function nextToolOf(
  { failure, value }: OperationResponse,
  availableTools: readonly BoundTool[],
): NextTool | null {
  const next = value['next'] as NamedCall;
  return (
    bind(next, availableTools) ?? bind(failure?.fallback, availableTools) ?? toNextTool(next, availableTools)
  );
}

/** The same for responses whose items each have a next call: null when no available tool makes it. */
export function withNextTools(value: unknown, availableTools: readonly BoundTool[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withNextTools(one, availableTools));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [
      name,
      name === 'next' && isNextCall(inner)
        ? toNextTool(inner, availableTools)
        : withNextTools(inner, availableTools),
    ]),
  );
}

export const isNextCall = (value: unknown): value is NextTool =>
  typeof value === 'object' && value !== null && 'operation' in value && 'arguments' in value;
