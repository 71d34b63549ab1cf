// The cost of `tools/list` and of responses: bytes, and tokens as o200k_base counts them. An agent pays for the
// first before its first call, and for the text of a response with every call. Run directly it prints both
// tables: the watched lists, and the samples of `sample-responses.ts` as an agent receives them by default and,
// where that is compact, with `detail`. It reads the sources, so that no build contains the samples.
import { Buffer } from 'node:buffer';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { listedTools } from '../apps/mcp/dist/tools/listed-tools.js';
import { listings } from '../apps/mcp/dist/testing/tool-listings.js';
import { sampleResponses } from '../apps/mcp/dist/testing/sample-responses.js';
import { deriveTools } from '../apps/mcp/dist/tools/tool.js';
import { toolResult } from '../apps/mcp/dist/tools/tool-result.js';
import { listManifests } from '../packages/bootstrap/dist/index.js';
import { catalog } from '../packages/operations/dist/index.js';

export function costOf(value) {
  const json = JSON.stringify(value);
  return { bytes: Buffer.byteLength(json), tokens: countTokens(json) };
}

export const costOfListings = () =>
  listings(listedTools(catalog, listManifests({ sandbox: true, externalPlatforms: [] }))).map(
    ({ audience, tools }) => ({
      audience,
      tools: tools.length,
      ...costOf({ tools }),
    }),
  );

/** `perItem`: the average over the items of a list, without the rest of the response. */
export function costOfResponses() {
  const tools = deriveTools(catalog, listManifests({ sandbox: true, externalPlatforms: [] }));
  const manifests = listManifests({ sandbox: false, externalPlatforms: [] });
  const platformName = (id) => manifests.find((manifest) => manifest.id === id)?.name ?? id;
  return sampleResponses(catalog, manifests).map(({ name, operation, value }) => {
    const response = { status: operation.http.status, body: JSON.stringify(value), value, failure: null };
    const resultOf = (detail) => toolResult(operation, response, tools, { detail, platformName });
    const { content, structuredContent } = resultOf(false);
    const { data } = structuredContent;
    return {
      response: name,
      tokens: countTokens(content[0].text),
      perItem: Array.isArray(data) ? Math.round(costOf(data).tokens / data.length) : null,
      withDetail: operation.compact ? countTokens(resultOf(true).content[0].text) : null,
    };
  });
}

if (import.meta.main) {
  console.table(costOfListings());
  console.table(costOfResponses());
}
