import { scopePresets, type Scope } from '@switchboard/domain/access';
import type { Toolset } from '@switchboard/operations';
import type { ListedTool } from '../tools/listed-tools.js';
import { createToolFilter, filterTools } from '../tools/tool-filter.js';
import type { Tool } from '../tools/tool.js';

/** The response of `tools/list` for one kind of key and server. */
interface Listing {
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
  { audience: 'default, key with all scopes' },
  { audience: 'default, agent key', scopes: scopePresets.agent },
  { audience: 'default, reader key', scopes: scopePresets.reader },
  { audience: 'read-only, key with all scopes', readOnly: true },
  ...allToolsets.map((toolset) => ({
    audience: `toolset ${toolset}, key with all scopes`,
    toolsets: [toolset],
  })),
  { audience: 'all toolsets, key with all scopes', toolsets: allToolsets },
];

/** The lists whose size is watched: an agent pays for all of one before its first call. */
export const listings = (tools: readonly ListedTool[]): readonly Listing[] =>
  viewers.map(({ audience, scopes = scopePresets.full, toolsets = null, readOnly = false }) => {
    const toolFilter = createToolFilter({ toolsets, readOnly });
    if (!toolFilter.ok) throw new Error(`${audience}: ${toolFilter.failure.message}`);
    return { audience, tools: filterTools(tools, scopes, toolFilter.value) };
  });
