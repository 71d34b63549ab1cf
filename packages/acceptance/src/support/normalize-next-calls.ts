import { catalog } from '@switchboard/operations';

const toOperationName = (name: unknown): unknown => catalog.find(({ tool }) => tool === name)?.name ?? name;

/** The next calls of a response, by operation: over MCP they are named by their tools. */
export function normalizeNextCalls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalizeNextCalls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [
      name,
      name === 'next' && typeof inner === 'object' && inner !== null
        ? { ...inner, operation: toOperationName((inner as { readonly operation?: unknown }).operation) }
        : normalizeNextCalls(inner),
    ]),
  );
}
