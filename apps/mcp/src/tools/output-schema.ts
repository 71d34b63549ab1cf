import { problemDetailsSchema, type Operation } from '@switchboard/operations';
import { z } from 'zod';
import type { JsonObject } from './tool.js';

const problemFields = fieldsOf(problemDetailsSchema);

/**
 * The fields of a response that always have one type, one level deep: the rest is in the response itself, and
 * output schemas would otherwise dominate the size of `tools/list`. Clients validate failures against it too,
 * so nothing is required, and a field that a failure also has (`status`, `platform`) is omitted. A change
 * declares only its id: the tool that reads the same resource describes the rest.
 */
export function outputSchemaOf({ output, effect }: Operation): JsonObject {
  const isChange = effect === 'update' || effect === 'delete';
  const named = Object.entries(fieldsOf(output)).flatMap(([name, { type }]) =>
    typeof type !== 'string' || name in problemFields || (isChange && name !== 'id')
      ? []
      : [[name, { type }]],
  );
  return { type: 'object', properties: Object.fromEntries(named) };
}

function fieldsOf(schema: z.ZodObject): Readonly<Record<string, JsonObject>> {
  const { properties } = z.toJSONSchema(schema, { io: 'output', target: 'draft-2020-12' });
  return (properties ?? {}) as Record<string, JsonObject>;
}
