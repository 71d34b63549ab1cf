import type { Operation } from '@switchboard/operations';
import { annotationsOf, type ToolAnnotations } from './annotations.js';
import { inputSchemaOf } from './input-schema.js';
import { untrustedContentNotice } from './untrusted-content-notice.js';
import { outputSchemaOf } from './output-schema.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A tool as `tools/list` returns it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
}

/** A tool and its operation. */
export interface BoundTool {
  readonly tool: Tool;
  readonly operation: Operation;
}

/** The tools of a catalog in its order, derived once; operations that are served on REST only have none. */
export const deriveTools = (catalog: readonly Operation[]): readonly BoundTool[] =>
  catalog.flatMap((operation) =>
    operation.tool === null ? [] : [{ operation, tool: deriveTool(operation.tool, operation) }],
  );

const deriveTool = (name: string, operation: Operation): Tool => ({
  name,
  title: (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll('_', ' '),
  description: [
    operation.summary,
    operation.guidance,
    ...untrustedContentNotice(operation),
    ...exampleOf(operation),
  ].join('\n'),
  inputSchema: inputSchemaOf(operation),
  outputSchema: outputSchemaOf(operation),
  annotations: annotationsOf(operation),
});

const exampleOf = ({ toolExample }: Operation): readonly string[] =>
  toolExample === null ? [] : [`Example: ${JSON.stringify(toolExample)}`];
