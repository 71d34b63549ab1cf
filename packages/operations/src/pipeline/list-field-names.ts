import { z } from 'zod';

/** The field names of the schema at a path; empty when that is not an object. */
export function listFieldNames(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const [step, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    if (step === undefined) return Object.keys(schema.shape);
    const field: unknown = Object.hasOwn(schema.shape, step) ? schema.shape[String(step)] : undefined;
    return field instanceof z.core.$ZodType ? listFieldNames(field, rest) : [];
  }
  if (schema instanceof z.ZodArray) return step === undefined ? [] : listFieldNames(schema.element, rest);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => listFieldNames(option, path));
  return 'innerType' in schema._zod.def && schema._zod.def.innerType instanceof z.core.$ZodType
    ? listFieldNames(schema._zod.def.innerType, path)
    : [];
}
