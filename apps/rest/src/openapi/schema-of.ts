import { z } from 'zod';

/** JSON Schema as OpenAPI 3.1 takes it, of what is sent (`input`) or of what comes back (`output`). */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    // A file has no JSON; what is said of it beside its schema is how OpenAPI describes one.
    unrepresentable: 'any',
  });
  return rest;
}
