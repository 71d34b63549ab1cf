import type { Operation } from '@switchboard/operations';
import type { ToolAccess } from './tool-filter.js';
import { deriveTools, type Tool } from './tool.js';

/** A tool and the fields that decide whether it is listed, without its operation. */
export interface ListedTool {
  readonly tool: Tool;
  readonly operation: ToolAccess;
}

/** The list that the build writes, so that listing tools loads no operation. */
export const listedTools = (catalog: readonly Operation[]): readonly ListedTool[] =>
  deriveTools(catalog).map(({ tool, operation: { scope, toolset, effect, tool: name } }) => ({
    tool,
    operation: { scope, toolset, effect, tool: name },
  }));
