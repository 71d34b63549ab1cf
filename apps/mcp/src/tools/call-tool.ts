import { ok } from '@switchboard/domain';
import type { Dispatch, SentenceNames } from '@switchboard/operations';
import { confirmInRounds, type ConfirmationRequest } from '../protocol/confirm-in-rounds.js';
import { openConfirmationStates, type ConfirmationStatePorts } from '../protocol/confirmation-state.js';
import type { CallContext } from '../protocol/mcp-handlers.js';
import { readArguments } from './arguments.js';
import { dispatchForCaller, type Caller } from '../protocol/dispatch-for-caller.js';
import { confirmCall } from '../protocol/elicitation.js';
import { hasScope, findExclusion } from './tool-filter.js';
import { imageContent, toolResult, type ToolResult } from './tool-result.js';
import type { BoundTool } from './tool.js';

export type { Caller } from '../protocol/dispatch-for-caller.js';

/** The parts of the service through which tools are called. */
interface ToolService {
  readonly dispatch: Dispatch;
  readonly ports: ConfirmationStatePorts;
}

/**
 * Turns a tool call into an envelope, dispatches it, and converts the response to an MCP result. Where the
 * call needs a confirmation first, a client that can show a form is asked.
 */
export async function callTool(
  { dispatch, ports }: ToolService,
  tools: readonly BoundTool[],
  { operation }: BoundTool,
  rawArguments: Readonly<Record<string, unknown>>,
  caller: Caller,
  {
    requestId,
    signal,
    onProgress,
    elicit,
    round,
    platformName,
  }: CallContext & SentenceNames & { readonly requestId: string },
): Promise<ToolResult | ConfirmationRequest> {
  const { detail, image, ...read } = readArguments(operation, rawArguments);
  const callEnvelope = { ...read, requestId, signal, onProgress };
  const send = (isConfirmed: boolean | undefined) =>
    dispatchForCaller(dispatch, operation, caller, { ...callEnvelope, confirmed: isConfirmed });
  const sendConfirmed = async () => {
    if (round) {
      const input = read.input.ok ? read.input.value : null;
      const openStates = () => openConfirmationStates(ports, caller, operation, input);
      return confirmInRounds(operation, { requestId, round, openStates, send });
    }
    if (!elicit) return send(undefined);
    return confirmCall(operation, await send(false), { elicit, requestId }, () => send(true));
  };
  const response = await sendConfirmed();
  if ('question' in response) return response;
  const availableTools = tools.filter(
    (tool) =>
      hasScope(tool.operation, response.scopes) && findExclusion(tool.operation, caller.toolFilter) === null,
  );
  const result = toolResult(operation, response, availableTools, { detail, platformName });
  if (image === undefined || !operation.image || result.isError || !read.input.ok) return result;
  const { of } = operation.image;
  const given = Object.entries(read.input.value as object).filter(([name]) => name in of.input.shape);
  const input = ok({ ...Object.fromEntries(given), type: image });
  const drawn = await dispatchForCaller(dispatch, of, caller, { ...callEnvelope, input });
  return { ...result, content: [...result.content, imageContent(drawn)] };
}
