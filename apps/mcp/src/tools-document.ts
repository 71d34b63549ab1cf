import type { Operation } from '@switchboard/operations';
import { deriveTools, type Tool } from './tool.js';

/** A tool as it is listed, with the toolset it is in and the scope it asks for: what a file of `docs/generated/tools` holds. */
export interface ToolDocument extends Tool {
  readonly toolset: string;
  readonly scope: string;
}

export const describeTools = (catalog: readonly Operation[]): readonly ToolDocument[] =>
  deriveTools(catalog).map(({ tool, operation: { toolset, scope } }) => ({ ...tool, toolset, scope }));
