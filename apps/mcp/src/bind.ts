import { refuse } from '@switchboard/domain';
import type { Dispatch } from '@switchboard/operations';
import { readArguments } from './arguments.js';
import { outOfReach, type Narrowing } from './narrowing.js';
import { toolResult, type ToolResult } from './tool-result.js';
import type { BoundTool } from './tool.js';

/** Who calls, and what is in reach. */
export interface Caller {
  /** As the HTTP header has it: `Bearer swb_…`. */
  readonly authorization: string | undefined;
  /** Where it comes from. */
  readonly address: string | undefined;
  readonly narrowing: Narrowing;
}

/** Turns a tool call into an envelope, asks dispatch, and says what it answered in MCP's words. */
export async function callTool(
  dispatch: Dispatch,
  tools: readonly BoundTool[],
  { operation }: BoundTool,
  given: Readonly<Record<string, unknown>>,
  { authorization, address, narrowing }: Caller,
  { requestId, signal }: { readonly requestId: string; readonly signal: AbortSignal },
): Promise<ToolResult> {
  const { input, idempotencyKey, waitSeconds } = readArguments(operation, given);
  const hidden = outOfReach(operation, narrowing);
  const answer = await dispatch(operation, {
    surface: 'mcp',
    requestId,
    ...{ authorization, address },
    // Reached only by a key that holds the scope: one that does not is told so, whatever is hidden.
    readInput: async () => (hidden === null ? input : notHere(hidden, operation.scope)),
    idempotencyKey,
    waitSeconds,
    signal,
  });
  const within = tools.filter((tool) => outOfReach(tool.operation, narrowing) === null);
  return toolResult(operation, answer, within);
}

const notHere = (why: string, requiredScope: string) =>
  refuse('key.scope_missing', why, { details: { requiredScope }, whoCanFix: 'operator' });
