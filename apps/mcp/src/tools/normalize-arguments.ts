import { inputKinds } from '@switchboard/operations';
import { z } from 'zod';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Reads arguments as models write them: a client in strict mode sends every field, so an optional one that is
 * null, "" or [] counts as omitted unless its schema gives the value a meaning, and a single value for a list
 * is a list of one.
 */
export const normalizeArguments = (schema: z.ZodObject, given: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const field: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      if (!(field instanceof z.ZodType)) return [[name, value]];
      return isOmitted(field, value) ? [] : [[name, normalizeValue(field, value)]];
    }),
  );

function isOmitted(field: z.ZodType, value: unknown): boolean {
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  if (!isEmpty || !field.safeParse(undefined).success) return false;
  const kind = inputKinds.get(unwrap(field))?.kind;
  if (Array.isArray(value) && kind === 'selection') return false;
  // The text of an id may be empty in its schema, where it is an id that does not exist.
  if (value === '' && kind !== undefined) return true;
  return !field.safeParse(value).success;
}

function normalizeValue(field: z.core.$ZodType, value: unknown): unknown {
  const schema = unwrap(field);
  if (schema instanceof z.ZodUnion) return normalizeUnion(schema, value);
  if (schema instanceof z.ZodArray) {
    if (value === null) return value;
    return [value].flat().map((item) => normalizeValue(schema.element, item));
  }
  return schema instanceof z.ZodObject && isObject(value) ? normalizeArguments(schema, value) : value;
}

/** Of a union, the list or the object that the value is meant for. */
function normalizeUnion({ options }: z.ZodUnion, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const find = (kind: typeof z.ZodObject | typeof z.ZodArray) =>
    options.find((option) => unwrap(option) instanceof kind);
  const option = Array.isArray(value) ? find(z.ZodArray) : (find(z.ZodObject) ?? find(z.ZodArray));
  return option ? normalizeValue(option, value) : value;
}

const isObject = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema without what makes it optional or nullable. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod;
  return 'innerType' in def && def.innerType instanceof z.core.$ZodType ? unwrap(def.innerType) : schema;
}
