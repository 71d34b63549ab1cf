import { catalog } from '@switchboard/operations';

/** The names that the texts of operations use for MCP, and what they are over HTTP. */
const restTerms = new Map([
  ...catalog.flatMap(({ tool, name }) => (tool === null ? [] : [[tool, `\`${name}\``] as const])),
  ['idempotency_key', '`Idempotency-Key`'] as const,
  ['a wait', '`Prefer: wait`'] as const,
]);
const mcpTerms = new RegExp(`\`?\\b(${[...restTerms.keys()].join('|')})\\b\`?`, 'g');

/** Operations are described once, with the names of their tools; this document has their operation ids. */
export const inRestTerms = (text: string): string =>
  text.replace(mcpTerms, (_, term: string) => restTerms.get(term) ?? term);
