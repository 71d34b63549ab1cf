// The cost of `tools/list`: bytes, and tokens as o200k_base counts them. Run directly it prints the watched
// lists.
import { Buffer } from 'node:buffer';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { listedTools } from '../apps/mcp/dist/tools/listed-tools.js';
import { listings } from '../apps/mcp/dist/tools/listings.js';
import { listManifests } from '../packages/bootstrap/dist/index.js';
import { catalog } from '../packages/operations/dist/index.js';

export function costOf(value) {
  const json = JSON.stringify(value);
  return { bytes: Buffer.byteLength(json), tokens: countTokens(json) };
}

export const costOfListings = () =>
  listings(listedTools(catalog, listManifests(true))).map(({ audience, tools }) => ({
    audience,
    tools: tools.length,
    ...costOf({ tools }),
  }));

if (import.meta.main) console.table(costOfListings());
