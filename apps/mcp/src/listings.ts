import { scopePresets, type Scope } from '@switchboard/domain';
import type { Toolset } from '@switchboard/operations';
import type { ListedTool } from './listed-tools.js';
import { choose, shownTools } from './narrowing.js';
import type { Tool } from './tool.js';

/** What somebody is shown by `tools/list`. */
export interface Listing {
  readonly who: string;
  readonly tools: readonly Tool[];
}

interface Viewer {
  readonly who: string;
  readonly scopes?: readonly Scope[];
  readonly toolsets?: readonly Toolset[];
  readonly readOnly?: boolean;
}

const everyToolset: readonly Toolset[] = ['social', 'commerce', 'connections', 'admin'];

const viewers: readonly Viewer[] = [
  { who: 'by default, a key with every scope' },
  { who: 'by default, the agent key', scopes: scopePresets.agent },
  { who: 'by default, a key that reads', scopes: scopePresets.reader },
  { who: 'read-only, a key with every scope', readOnly: true },
  ...everyToolset.map((toolset) => ({
    who: `the toolset ${toolset}, a key with every scope`,
    toolsets: [toolset],
  })),
  { who: 'all toolsets, a key with every scope', toolsets: everyToolset },
];

/** The lists that are worth watching: an agent pays for all of one before it does anything. */
export const listings = (tools: readonly ListedTool[]): readonly Listing[] =>
  viewers.map(({ who, scopes = scopePresets.full, toolsets = null, readOnly = false }) => {
    const narrowing = choose({ toolsets, readOnly });
    if (!narrowing.ok) throw new Error(`${who}: ${narrowing.failure.message}`);
    return { who, tools: shownTools(tools, scopes, narrowing.value) };
  });
