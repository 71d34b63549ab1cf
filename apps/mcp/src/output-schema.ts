import { problemSchema, type Operation } from '@switchboard/operations';
import { z } from 'zod';
import type { JsonObject } from './tool.js';

const problemFields = fieldsOf(problemSchema);

/**
 * The fields of an answer, and the types of those that are no text and no list, one level deep: the rest is in the answer itself, and output schemas would be most of
 * `tools/list`. Clients check failures against it too, so nothing is required, and a field that a failure has as well
 * (`status`, `platform`) may be what it is there.
 */
export function outputSchemaOf(operation: Operation): JsonObject {
  const properties = Object.entries(fieldsOf(operation.output)).map(([name, field]) => {
    const inProblem = problemFields[name];
    return [name, inProblem ? either(field, inProblem) : shallow(field)] as const;
  });
  return { type: 'object', properties: Object.fromEntries(properties) };
}

function fieldsOf(schema: z.ZodObject): Readonly<Record<string, JsonObject>> {
  const { properties } = z.toJSONSchema(schema, { io: 'output', target: 'draft-2020-12' });
  return (properties ?? {}) as Record<string, JsonObject>;
}

function shallow(field: JsonObject): JsonObject {
  const types = typesOf(field);
  return types.length === 0 || types.every((type) => obvious.includes(type)) ? {} : typed(types);
}

/** Most fields are a text, a list, or null instead: an answer shows as much, and it would be a fifth of `tools/list`. */
const obvious = ['string', 'array', 'null'];

const typed = (types: readonly string[]): JsonObject => ({ type: types.length === 1 ? types[0] : types });

function either(one: JsonObject, other: JsonObject): JsonObject {
  const types = [...new Set([...typesOf(one), ...typesOf(other)])];
  const known = typesOf(one).length > 0 && typesOf(other).length > 0;
  return known ? typed(types) : {};
}

/** Empty when the schema says nothing of the type: it may be anything. */
function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type as string[];
  const branches = branchesOf(schema).map(typesOf);
  return branches.some((types) => types.length === 0) ? [] : [...new Set(branches.flat())];
}

const branchesOf = (schema: JsonObject): readonly JsonObject[] =>
  (schema['anyOf'] ?? schema['oneOf'] ?? []) as JsonObject[];
