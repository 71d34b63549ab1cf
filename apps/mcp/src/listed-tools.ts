import type { Operation } from '@switchboard/operations';
import type { ToolAccess } from './tool-filter.js';
import { deriveTools, type Tool } from './tool.js';

/** A tool and what decides whether it is shown, without the operation behind it. */
export interface ListedTool {
  readonly tool: Tool;
  readonly operation: ToolAccess;
}

/** What the build writes down, so that listing needs no operation to be loaded. */
export const listedTools = (catalog: readonly Operation[]): readonly ListedTool[] =>
  deriveTools(catalog).map(({ tool, operation: { scope, toolset, effect, tool: name } }) => ({
    tool,
    operation: { scope, toolset, effect, tool: name },
  }));
