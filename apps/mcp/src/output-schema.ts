import { problemDetailsSchema, type Operation } from '@switchboard/operations';
import { z } from 'zod';
import type { JsonObject } from './tool.js';

const problemFields = fieldsOf(problemDetailsSchema);

/**
 * The fields of an answer that always have one type, one level deep: the rest is in the answer itself, and output schemas would be most of
 * `tools/list`. Clients check failures against it too, so nothing is required, and a field that a failure has as well
 * (`status`, `platform`) is not spoken of. A change answers with what its reader describes: its id is enough.
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
