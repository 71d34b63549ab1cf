import type { JsonObject } from '../support/json.js';

/** Makes references absolute, so that a part of the document can be compiled alone. */
export function qualifyReferences(node: unknown, base: string): unknown {
  return mapNodes(node, (one) =>
    typeof one['$ref'] === 'string' && one['$ref'].startsWith('#')
      ? { ...one, $ref: `${base}${one['$ref']}` }
      : one,
  );
}

/** Responses contain no fields that the document does not name. */
export function closeObjects(node: unknown, base: string): unknown {
  return mapNodes(qualifyReferences(node, base), (one) =>
    one['type'] === 'object' && 'properties' in one && !('additionalProperties' in one)
      ? { ...one, additionalProperties: false }
      : one,
  );
}

function mapNodes(node: unknown, change: (object: JsonObject) => JsonObject): unknown {
  if (Array.isArray(node)) return node.map((one) => mapNodes(one, change));
  if (typeof node !== 'object' || node === null) return node;
  const changed = change(node as JsonObject);
  return Object.fromEntries(Object.entries(changed).map(([name, one]) => [name, mapNodes(one, change)]));
}
