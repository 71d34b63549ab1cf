import { z } from 'zod';

/** Compiling a schema takes as long as parsing a few pages with it, so that one created for a call is not compiled. */
const USES_BEFORE_COMPILING = 10;

const uses = new WeakMap<z.ZodType, number>();
const compiled = new WeakMap<z.ZodType, z.ZodType>();

/**
 * What `schema.safeParse` returns, for the responses of platforms. A schema that is used often is compiled by Zod, which
 * parses a page of orders in a quarter of the time (docs/decisions/016-where-the-time-goes.md).
 */
export function parseResponse<Value>(schema: z.ZodType<Value>, json: unknown): z.ZodSafeParseResult<Value> {
  const parser = compiled.get(schema) ?? countUse(schema);
  return parser.safeParse(json) as z.ZodSafeParseResult<Value>;
}

function countUse(schema: z.ZodType): z.ZodType {
  const count = (uses.get(schema) ?? 0) + 1;
  uses.set(schema, count);
  if (count <= USES_BEFORE_COMPILING) return schema;
  const parser = z.compile(schema);
  compiled.set(schema, parser);
  return parser;
}
