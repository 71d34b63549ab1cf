import { ok, refuse, satisfies, type Result, type Scope } from '@switchboard/domain';
import type { Operation, Toolset } from '@switchboard/operations';
import type { Tool } from './tool.js';

/** Which tools are in reach at all, besides what the key may do. */
export interface ToolFilter {
  readonly toolsets: readonly Toolset[];
  readonly readOnly: boolean;
}

/** What one place says: an operator's environment or flags, or a client's headers. */
export interface ToolFilterInput {
  readonly toolsets: readonly string[] | null;
  readonly readOnly: boolean;
}

const allToolsets: readonly Toolset[] = ['social', 'commerce', 'connections', 'admin'];
const defaultToolsets: readonly Toolset[] = ['social', 'commerce', 'connections'];
/** Nothing leaves and no money moves: an agent that only looks may ask what would happen. */
const readOnlyTools: readonly (string | null)[] = ['validate_post', 'quote_refund'];

/** The operator chooses from all toolsets (in environment and flags, which must both agree); nobody choosing means these three. */
export function createToolFilter(
  ...inputs: readonly ToolFilterInput[]
): Result<ToolFilter, 'request.invalid'> {
  const baseToolsets = inputs.some(({ toolsets }) => toolsets !== null) ? allToolsets : defaultToolsets;
  return narrowToolFilter({ toolsets: baseToolsets, readOnly: false }, ...inputs);
}

/** Whatever is wished, it can only become less. */
export function narrowToolFilter(
  { toolsets, readOnly }: ToolFilter,
  ...inputs: readonly ToolFilterInput[]
): Result<ToolFilter, 'request.invalid'> {
  const namedToolsets = inputs.flatMap((input) => input.toolsets ?? []);
  const unknown = namedToolsets.find(
    (name) => name !== 'every' && !allToolsets.some((toolset) => toolset === name),
  );
  if (unknown !== undefined) {
    return refuse('request.invalid', `There is no such toolset. Choose from ${allToolsets.join(', ')}.`);
  }
  return ok({
    toolsets: toolsets.filter((toolset) =>
      inputs.every((input) => input.toolsets?.includes(toolset) ?? true),
    ),
    readOnly: readOnly || inputs.some((input) => input.readOnly),
  });
}

/** All that decides whether a tool is shown. */
export type ToolAccess = Pick<Operation, 'scope' | 'toolset' | 'effect' | 'tool'>;

export const hasScope = ({ scope }: Pick<ToolAccess, 'scope'>, scopes: readonly Scope[]): boolean =>
  scope === 'any' || satisfies(scopes, scope);

/** Why a tool is out of reach although a key may have its scope. */
export interface ToolExclusion {
  readonly reason: string;
  readonly hiddenBy: 'read_only' | 'toolset';
  readonly toolset?: Toolset;
}

/** Null where it is in reach. */
export function findExclusion(
  { tool, toolset, effect }: ToolAccess,
  { toolsets, readOnly }: ToolFilter,
): ToolExclusion | null {
  if (readOnly && effect !== 'read' && !readOnlyTools.includes(tool)) {
    return { reason: `Only reading is allowed here, so ${tool} is not.`, hiddenBy: 'read_only' };
  }
  if (toolset !== 'every' && !toolsets.includes(toolset)) {
    const reason = `The toolset ${toolset} is not chosen here, so ${tool} is not available.`;
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
