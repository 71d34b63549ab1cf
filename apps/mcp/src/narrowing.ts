import { ok, refuse, satisfies, type Result, type Scope } from '@switchboard/domain';
import type { Operation, Toolset } from '@switchboard/operations';
import type { Tool } from './tool.js';

/** Which tools are in reach at all, besides what the key may do. */
export interface Narrowing {
  readonly toolsets: readonly Toolset[];
  readonly readOnly: boolean;
}

/** What one place says: an operator's environment or flags, or a client's headers. */
export interface Wish {
  readonly toolsets: readonly string[] | null;
  readonly readOnly: boolean;
}

const known: readonly Toolset[] = ['social', 'commerce', 'connections', 'admin'];
const everybody: readonly Toolset[] = ['social', 'commerce', 'connections'];
/** Nothing leaves and no money moves: an agent that only looks may ask what would happen. */
const harmless: readonly (string | null)[] = ['validate_post', 'quote_refund'];

/** The operator chooses from all toolsets (in environment and flags, which must both agree); nobody choosing means these three. */
export function choose(...wishes: readonly Wish[]): Result<Narrowing, 'request.invalid'> {
  const chosen = wishes.some(({ toolsets }) => toolsets !== null) ? known : everybody;
  return narrow({ toolsets: chosen, readOnly: false }, ...wishes);
}

/** Whatever is wished, it can only become less. */
export function narrow(
  { toolsets, readOnly }: Narrowing,
  ...wishes: readonly Wish[]
): Result<Narrowing, 'request.invalid'> {
  const named = wishes.flatMap((wish) => wish.toolsets ?? []);
  const unknown = named.find((name) => name !== 'every' && !known.some((toolset) => toolset === name));
  if (unknown !== undefined) {
    return refuse('request.invalid', `There is no such toolset. Choose from ${known.join(', ')}.`);
  }
  return ok({
    toolsets: toolsets.filter((toolset) => wishes.every((wish) => wish.toolsets?.includes(toolset) ?? true)),
    readOnly: readOnly || wishes.some((wish) => wish.readOnly),
  });
}

/** All that decides whether a tool is shown. */
export type Reachable = Pick<Operation, 'scope' | 'toolset' | 'effect' | 'tool'>;

export const holds = ({ scope }: Pick<Reachable, 'scope'>, scopes: readonly Scope[]): boolean =>
  scope === 'any' || satisfies(scopes, scope);

/** Why a tool is out of reach although a key may have its scope. */
export interface OutOfReach {
  readonly why: string;
  readonly hiddenBy: 'read_only' | 'toolset';
  readonly toolset?: Toolset;
}

/** Null where it is in reach. */
export function outOfReach(
  { tool, toolset, effect }: Reachable,
  { toolsets, readOnly }: Narrowing,
): OutOfReach | null {
  if (readOnly && effect !== 'read' && !harmless.includes(tool)) {
    return { why: `Only reading is allowed here, so ${tool} is not.`, hiddenBy: 'read_only' };
  }
  if (toolset !== 'every' && !toolsets.includes(toolset)) {
    const why = `The toolset ${toolset} is not chosen here, so ${tool} is not available.`;
    return { why, hiddenBy: 'toolset', toolset };
  }
  return null;
}

/** The tools that a key with these scopes may use, in their order. */
export const shownTools = (
  tools: readonly { readonly tool: Tool; readonly operation: Reachable }[],
  scopes: readonly Scope[],
  narrowing: Narrowing,
): readonly Tool[] =>
  tools
    .filter(({ operation }) => holds(operation, scopes) && outOfReach(operation, narrowing) === null)
    .map(({ tool }) => tool);
