import type { Dispatch } from '@switchboard/operations';
import type { During } from './answers.js';
import { readArguments } from './arguments.js';
import { askDispatch, type Caller } from './ask-dispatch.js';
import { confirmed } from './elicitation.js';
import { holds, outOfReach } from './narrowing.js';
import { toolResult, type ToolResult } from './tool-result.js';
import type { BoundTool } from './tool.js';

export type { Caller } from './ask-dispatch.js';

/** Turns a tool call into an envelope, asks dispatch, and says what it answered in MCP's words. */
export async function callTool(
  dispatch: Dispatch,
  tools: readonly BoundTool[],
  { operation }: BoundTool,
  given: Readonly<Record<string, unknown>>,
  caller: Caller,
  { requestId, signal, onProgress, ask }: During & { readonly requestId: string },
): Promise<ToolResult> {
  const { detail, ...read } = readArguments(operation, given);
  const asked = { ...read, requestId, signal, onProgress };
  const send = (yes: boolean | undefined) =>
    askDispatch(dispatch, operation, caller, { ...asked, confirmed: yes });
  const answer = ask
    ? await confirmed(await send(false), { ask, requestId }, () => send(true))
    : await send(undefined);
  const within = tools.filter(
    (tool) => holds(tool.operation, answer.scopes) && outOfReach(tool.operation, caller.narrowing) === null,
  );
  return toolResult(operation, answer, within, detail);
}
