import type { Operation } from '@switchboard/operations';
import type { Reachable } from './narrowing.js';
import { toolsOf, type Tool } from './tool.js';

/** A tool and what decides whether it is shown, without the operation behind it. */
export interface ListedTool {
  readonly tool: Tool;
  readonly operation: Reachable;
}

/** What the build writes down, so that listing needs no operation to be loaded. */
export const listedTools = (catalogue: readonly Operation[]): readonly ListedTool[] =>
  toolsOf(catalogue).map(({ tool, operation: { scope, toolset, effect, tool: name } }) => ({
    tool,
    operation: { scope, toolset, effect, tool: name },
  }));
