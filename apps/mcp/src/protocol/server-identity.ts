import type { ToolFilter } from '../tools/tool-filter.js';
import { instructionsFor } from './instructions.js';

export interface ServerIdentity {
  readonly version: string;
  readonly toolFilter: ToolFilter;
}

/** What a server states about itself, in every revision. */
export const describeServer = ({ version, toolFilter }: ServerIdentity) => ({
  info: { name: 'switchboard', title: 'Switchboard', version },
  // Any key can read platforms, and a list of prompts may be empty.
  capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
  instructions: instructionsFor(toolFilter),
});
