import type { Secret } from '@switchboard/domain';
import type { ReceivedFile } from '@switchboard/domain/media';
import type { z } from 'zod';

type CamelKey<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelKey<Tail>>}` : Key;

/** The camelCase form of a parsed input. Records keep their keys, because the caller chose them. */
export type Camel<T> = T extends Date | ReceivedFile | Secret
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Camel<Item>[]
    : T extends object
      ? string extends keyof T
        ? T
        : { [Key in keyof T as CamelKey<Key>]: Camel<T[Key]> }
      : T;

type Convert = (value: unknown) => unknown;
const identity: Convert = (value) => value;

const camelKey = (key: string) => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Compiles a schema into the function that renames the keys of its parsed values: those of objects, never
 * those of records.
 */
export function camelize(schema: z.core.$ZodType): Convert {
  const { def } = schema._zod;
  switch (def.type) {
    case 'object': {
      const fields = Object.entries((def as z.core.$ZodObjectDef).shape).map(
        ([key, field]) => [key, camelKey(key), camelize(field)] as const,
      );
      return (value) => {
        if (typeof value !== 'object' || value === null) return value;
        const source = value as Record<string, unknown>;
        const target: Record<string, unknown> = {};
        for (const [key, name, convert] of fields) if (key in source) target[name] = convert(source[key]);
        return target;
      };
    }
    case 'array': {
      const convert = camelize((def as z.core.$ZodArrayDef).element);
      return convert === identity ? identity : (value) => (Array.isArray(value) ? value.map(convert) : value);
    }
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
      return camelize((def as z.core.$ZodOptionalDef).innerType);
    case 'pipe': {
      const { in: before, out } = def as z.core.$ZodPipeDef;
      // The output of a transform has its own field names, which appear in no schema: renaming by the input
      // schema would drop them.
      return out._zod.def.type === 'transform' ? identity : camelize(before);
    }
    case 'union': {
      const objects = (def as z.core.$ZodUnionDef).options
        .map(camelize)
        .filter((convert) => convert !== identity);
      if (objects.length > 1) throw new Error('a union of several objects has no single set of keys');
      return objects[0] ?? identity;
    }
    default:
      return identity;
  }
}
