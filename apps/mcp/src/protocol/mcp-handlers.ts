import type { Progress } from '@switchboard/domain';
import type { Question } from '@switchboard/operations';
import type { CompletionResult, CompletionRequest } from './completion.js';
import type { ResourceContent, ResourcePage } from '../resources/resources.js';
import type { ToolResult } from '../tools/tool-result.js';
import type { JsonObject, Tool } from '../tools/tool.js';

/** The features of its connection that a running call may use. */
export interface CallContext {
  /** Aborted when the caller no longer waits for the response. */
  readonly signal: AbortSignal;
  /** Reports progress to the client; present only when the client subscribed to it. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Asks the person behind the client for a confirmation; present only when the client supports it and its
   * response can be received.
   */
  readonly elicit?: (question: Question) => Promise<'accepted' | 'declined' | 'cancelled'>;
}

/** The protocol methods that we implement, independent of the protocol library. */
export interface McpHandlers {
  /** The tools that this key may call here; templates and prompts derive from them. */
  listTools(): Promise<readonly Tool[]>;
  callTool(name: string, toolArguments: JsonObject, callContext: CallContext): Promise<ToolResult>;
  listResources(cursor: string | undefined, callContext: CallContext): Promise<ResourcePage>;
  readResource(uri: string, callContext: CallContext): Promise<ResourceContent>;
  complete(completionRequest: CompletionRequest, callContext: CallContext): Promise<CompletionResult>;
}
