import type { Operation } from '@switchboard/operations';
import { deriveTools, type NamedPlatform, type Tool } from './tool.js';

/**
 * A tool as it is listed, with its toolset and its scope: the content of a file of `docs/generated/tools`.
 */
interface ToolDocument extends Tool {
  readonly toolset: string | null;
  readonly scope: string;
}

export const describeTools = (
  catalog: readonly Operation[],
  platforms: readonly NamedPlatform[],
): readonly ToolDocument[] =>
  deriveTools(catalog, platforms).map(({ tool, operation: { toolset, scope } }) => ({
    ...tool,
    toolset,
    scope,
  }));
