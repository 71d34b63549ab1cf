import { z } from 'zod';

const compiled = new WeakMap<z.ZodType, z.ZodType>();

/**
 * What `schema.parse` returns or throws, by a parser that Zod compiles from the schema at its first use: a quarter of the
 * time and a ninth of the memory (docs/decisions/016-where-the-time-goes.md).
 */
export function parseOutput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  let parser = compiled.get(schema);
  if (!parser) compiled.set(schema, (parser = z.compile(schema)));
  return parser.parse(value) as z.output<Schema>;
}
