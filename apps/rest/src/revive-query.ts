import type { Operation } from '@switchboard/operations';
import type { z } from 'zod';

type Revive = (values: readonly string[]) => unknown;

const revivers = new WeakMap<Operation, ReadonlyMap<string, Revive>>();

/** Texts of a query become what the schema wants: numbers, booleans, lists (`?status=a,b` or repeated). What does not fit stays text, for the schema to refuse. */
export function reviveQuery(operation: Operation, query: URLSearchParams): Record<string, unknown> {
  let fields = revivers.get(operation);
  if (!fields) {
    fields = new Map(
      Object.entries(operation.input.shape).map(([name, schema]) => [
        name,
        reviver(schema as z.core.$ZodType),
      ]),
    );
    revivers.set(operation, fields);
  }
  const input: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    Object.defineProperty(input, name, {
      value: (fields.get(name) ?? single)(values),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return input;
}

/** A parameter given twice where one is meant stays a list, which the schema refuses. */
const single: Revive = (values) => (values.length === 1 ? values[0] : values);

function reviver(schema: z.core.$ZodType): Revive {
  const { def } = schema._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return reviver((def as z.core.$ZodOptionalDef).innerType);
    case 'pipe':
      return reviver((def as z.core.$ZodPipeDef).in);
    case 'number':
      return (values) => {
        const text = single(values);
        return typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
      };
    case 'boolean':
      return (values) => {
        const text = single(values);
        return text === 'true' ? true : text === 'false' ? false : text;
      };
    case 'array':
      return (values) => values.flatMap((value) => value.split(',')).filter((value) => value !== '');
    default:
      return single;
  }
}
