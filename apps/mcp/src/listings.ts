import { scopePresets, type Scope } from '@switchboard/domain';
import type { Toolset } from '@switchboard/operations';
import type { ListedTool } from './listed-tools.js';
import { createToolFilter, filterTools } from './tool-filter.js';
import type { Tool } from './tool.js';

/** What somebody is shown by `tools/list`. */
export interface Listing {
  readonly audience: string;
  readonly tools: readonly Tool[];
}

interface ListingAudience {
  readonly audience: string;
  readonly scopes?: readonly Scope[];
  readonly toolsets?: readonly Toolset[];
  readonly readOnly?: boolean;
}

const allToolsets: readonly Toolset[] = ['social', 'commerce', 'connections', 'admin'];

const viewers: readonly ListingAudience[] = [
  { audience: 'by default, a key with every scope' },
  { audience: 'by default, the agent key', scopes: scopePresets.agent },
  { audience: 'by default, a key that reads', scopes: scopePresets.reader },
  { audience: 'read-only, a key with every scope', readOnly: true },
  ...allToolsets.map((toolset) => ({
    audience: `the toolset ${toolset}, a key with every scope`,
    toolsets: [toolset],
  })),
  { audience: 'all toolsets, a key with every scope', toolsets: allToolsets },
];

/** The lists that are worth watching: an agent pays for all of one before it does anything. */
export const listings = (tools: readonly ListedTool[]): readonly Listing[] =>
  viewers.map(({ audience, scopes = scopePresets.full, toolsets = null, readOnly = false }) => {
    const toolFilter = createToolFilter({ toolsets, readOnly });
    if (!toolFilter.ok) throw new Error(`${audience}: ${toolFilter.failure.message}`);
    return { audience, tools: filterTools(tools, scopes, toolFilter.value) };
  });
