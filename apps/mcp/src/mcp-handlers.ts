import type { Progress } from '@switchboard/domain';
import type { CompletionResult, CompletionRequest } from './completion.js';
import type { ResourceContent, ResourcePage } from './resources.js';
import type { ToolResult } from './tool-result.js';
import type { JsonObject, Tool } from './tool.js';

/** What a call may use of the connection that it came over, while it runs. */
export interface CallContext {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Tells the client how far it is; there only when the client asked to hear of it. */
  readonly onProgress?: (progress: Progress) => void;
  /** Asks the person behind the client yes or no; there only when the client can, and its answer would find its way here. */
  readonly elicit?: (question: ElicitationRequest) => Promise<'accepted' | 'declined' | 'cancelled'>;
}

/** In words that we wrote. */
export interface ElicitationRequest {
  readonly message: string;
  /** What stands beside the box that has to be ticked. */
  readonly label: string;
}

/** What the protocol asks of us, without a word of the library that speaks it. */
export interface McpHandlers {
  /** What this key may call here; templates and prompts are made from it. */
  listTools(): Promise<readonly Tool[]>;
  callTool(name: string, toolArguments: JsonObject, callContext: CallContext): Promise<ToolResult>;
  listResources(cursor: string | undefined, callContext: CallContext): Promise<ResourcePage>;
  readResource(uri: string, callContext: CallContext): Promise<ResourceContent>;
  complete(completionRequest: CompletionRequest, callContext: CallContext): Promise<CompletionResult>;
}
