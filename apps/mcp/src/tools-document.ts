import type { Operation } from '@switchboard/operations';
import { toolsOf, type Tool } from './tool.js';

/** Every tool there is, with the toolset it is in and the scope it asks for: what `docs/generated/tools.json` holds. */
export interface ToolsDocument {
  readonly tools: readonly (Tool & { readonly toolset: string; readonly scope: string })[];
}

export const describeTools = (catalogue: readonly Operation[]): ToolsDocument => ({
  tools: toolsOf(catalogue).map(({ tool, operation: { toolset, scope } }) => ({ ...tool, toolset, scope })),
});
