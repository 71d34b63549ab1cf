import { z } from 'zod';

/** JSON Schema for OpenAPI 3.1, of a request (`input`) or of a response (`output`). */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    // A file has no JSON; the metadata beside its schema is the OpenAPI description of a file.
    unrepresentable: 'any',
  });
  return rest;
}
