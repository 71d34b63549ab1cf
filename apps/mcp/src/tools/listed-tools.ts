import type { Operation } from '@switchboard/operations';
import type { ToolAccess } from './tool-filter.js';
import { deriveTools, type NamedPlatform, type Tool } from './tool.js';

/** A tool and the fields that decide whether it is listed, without its operation. */
export interface ListedTool {
  readonly tool: Tool;
  readonly operation: ToolAccess;
}

/** The lists that the build writes: the tools name the platforms of the installation. */
export interface BuiltTools {
  readonly withSandbox: readonly ListedTool[];
  readonly withoutSandbox: readonly ListedTool[];
}

/** One list that the build writes, so that listing tools loads no operation. */
export const listedTools = (
  catalog: readonly Operation[],
  platforms: readonly NamedPlatform[],
): readonly ListedTool[] =>
  deriveTools(catalog, platforms).map(({ tool, operation: { scope, toolset, effect, tool: name } }) => ({
    tool,
    operation: { scope, toolset, effect, tool: name },
  }));
