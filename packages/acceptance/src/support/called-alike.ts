import { catalogue } from '@switchboard/operations';

const operationOf = (name: unknown): unknown => catalogue.find(({ tool }) => tool === name)?.name ?? name;

/** The calls that an answer leads to, named by their operations: over MCP they are told by their tools. */
export function calledAlike(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(calledAlike);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [
      name,
      name === 'next' && typeof inner === 'object' && inner !== null
        ? { ...inner, operation: operationOf((inner as { readonly operation?: unknown }).operation) }
        : calledAlike(inner),
    ]),
  );
}
