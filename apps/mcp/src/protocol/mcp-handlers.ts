import type { Progress } from '@switchboard/domain';
import type { Question } from '@switchboard/operations';
import type { ConfirmationRequest } from './confirm-in-rounds.js';
import type { CompletionResult, CompletionRequest } from './completion.js';
import type { ResourceContent, ResourcePage } from '../resources/resources.js';
import type { ToolResult } from '../tools/tool-result.js';
import type { JsonObject, Tool } from '../tools/tool.js';

/** The response of a person who was asked to confirm a call. */
export type Decision = 'accepted' | 'declined' | 'cancelled';

/**
 * How a client that answers between two requests takes part in the confirmation of a call: the first request
 * returns a question, and the client sends the call again with the response.
 */
export interface ConfirmationRound {
  /** Whether the client can show a form. */
  readonly canAsk: boolean;
  /** The state that came with the question, as the client returned it; absent on the first request. */
  readonly state?: string | undefined;
  /** Null when the client returned no response to the question. */
  readonly decision: Decision | null;
}

/** The features of its connection that a running call may use. */
export interface CallContext {
  /** Aborted when the caller no longer waits for the response. */
  readonly signal: AbortSignal;
  /** Reports progress to the client; present only when the client subscribed to it. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Asks the person behind the client for a confirmation while the call runs; present only when the client
   * supports it and its response can be received.
   */
  readonly elicit?: (question: Question) => Promise<Decision>;
  /** Present when the protocol asks the person between two requests instead. */
  readonly round?: ConfirmationRound;
}

/** The protocol methods that we implement, independent of the protocol library. */
export interface McpHandlers {
  /** The tools that this key may call here; templates and prompts derive from them. */
  listTools(): Promise<readonly Tool[]>;
  /** A request for a confirmation is returned only where the context has a `round`. */
  callTool(
    name: string,
    toolArguments: JsonObject,
    callContext: CallContext,
  ): Promise<ToolResult | ConfirmationRequest>;
  listResources(cursor: string | undefined, callContext: CallContext): Promise<ResourcePage>;
  readResource(uri: string, callContext: CallContext): Promise<ResourceContent>;
  complete(completionRequest: CompletionRequest, callContext: CallContext): Promise<CompletionResult>;
}
