import { ok, refuse, type Result } from '@switchboard/domain';
import { satisfies, type Scope } from '@switchboard/domain/access';
import type { Operation, Toolset } from '@switchboard/operations';
import type { Tool } from './tool.js';

/** The tool filter: which tools are enabled at all, besides the scopes of the key. */
export interface ToolFilter {
  readonly toolsets: readonly Toolset[];
  readonly readOnly: boolean;
}

/** The filter from one source: the environment or flags of an operator, or the headers of a client. */
export interface ToolFilterInput {
  readonly toolsets: readonly string[] | null;
  readonly readOnly: boolean;
}

const allToolsets: readonly Toolset[] = ['social', 'commerce', 'connections', 'admin'];
const defaultToolsets: readonly Toolset[] = ['social', 'commerce', 'connections'];
/** Tools that send nothing and move no money: a read-only agent may validate and quote. */
const readOnlyTools: readonly (string | null)[] = ['validate_post', 'quote_refund'];

/**
 * The operator selects from all toolsets (in environment and flags, which must both agree); the default is
 * these three.
 */
export function createToolFilter(
  ...inputs: readonly ToolFilterInput[]
): Result<ToolFilter, 'request.invalid'> {
  const baseToolsets = inputs.some(({ toolsets }) => toolsets !== null) ? allToolsets : defaultToolsets;
  return narrowToolFilter({ toolsets: baseToolsets, readOnly: false }, ...inputs);
}

/** Can only restrict the filter, never extend it. Returns the same object where nothing restricts it. */
export function narrowToolFilter(
  toolFilter: ToolFilter,
  ...inputs: readonly ToolFilterInput[]
): Result<ToolFilter, 'request.invalid'> {
  if (inputs.length === 0) return ok(toolFilter);
  const { toolsets, readOnly } = toolFilter;
  const namedToolsets = inputs.flatMap((input) => input.toolsets ?? []);
  const unknown = namedToolsets.find(
    (name) => name !== 'every' && !allToolsets.some((toolset) => toolset === name),
  );
  if (unknown !== undefined) {
    return refuse('request.invalid', `Unknown toolset. Choose from ${allToolsets.join(', ')}.`);
  }
  return ok({
    toolsets: toolsets.filter((toolset) =>
      inputs.every((input) => input.toolsets?.includes(toolset) ?? true),
    ),
    readOnly: readOnly || inputs.some((input) => input.readOnly),
  });
}

/** The fields that decide whether a tool is listed. */
export type ToolAccess = Pick<Operation, 'scope' | 'toolset' | 'effect' | 'tool'>;

export const hasScope = ({ scope }: Pick<ToolAccess, 'scope'>, scopes: readonly Scope[]): boolean =>
  scope === 'any' || satisfies(scopes, scope);

/** Why a tool is unavailable although a key may have its scope. */
export interface ToolExclusion {
  readonly reason: string;
  readonly hiddenBy: 'read_only' | 'toolset';
  readonly toolset?: Toolset;
}

/** Null when the tool is available. What has no toolset, such as a chart, is part of a tool that is checked itself. */
export function findExclusion(
  { tool, toolset, effect }: ToolAccess,
  { toolsets, readOnly }: ToolFilter,
): ToolExclusion | null {
  if (readOnly && effect !== 'read' && !readOnlyTools.includes(tool)) {
    const reason = `${tool} is hidden: this server is read-only (SWITCHBOARD_READ_ONLY, --read-only or X-MCP-Readonly).`;
    return { reason, hiddenBy: 'read_only' };
  }
  if (toolset !== null && toolset !== 'every' && !toolsets.includes(toolset)) {
    const reason = `${tool} is hidden: its toolset ${toolset} is not enabled (SWITCHBOARD_TOOLSETS, --toolsets or X-MCP-Toolsets).`;
    return { reason, hiddenBy: 'toolset', toolset };
  }
  return null;
}

/** The tools that a key with these scopes may use, in their order. */
export const filterTools = (
  tools: readonly { readonly tool: Tool; readonly operation: ToolAccess }[],
  scopes: readonly Scope[],
  toolFilter: ToolFilter,
): readonly Tool[] =>
  tools
    .filter(({ operation }) => hasScope(operation, scopes) && findExclusion(operation, toolFilter) === null)
    .map(({ tool }) => tool);
