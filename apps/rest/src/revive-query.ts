import type { Operation } from '@switchboard/operations';
import type { z } from 'zod';

type Revive = (values: readonly string[]) => unknown;

interface QueryField {
  readonly revive: Revive;
  /**
   * Caller-defined keys under one name: `?metadata.campaign=spring`, or `?metadata[campaign]=spring` as in
   * OpenAPI.
   */
  readonly isRecord: boolean;
}

const fieldsByOperation = new WeakMap<Operation, ReadonlyMap<string, QueryField>>();

/**
 * Converts the texts of a query to the types of the schema: numbers, booleans, lists (`?status=a,b` or
 * repeated), records. Invalid values stay text, for the schema to reject.
 */
export function reviveQuery(operation: Operation, query: URLSearchParams): Record<string, unknown> {
  let fields = fieldsByOperation.get(operation);
  if (!fields) fieldsByOperation.set(operation, (fields = fieldsOf(operation)));
  const input: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    const [, record = '', dotted, bracketed] = /^(\w+)(?:\.(.+)|\[(.+)\])$/s.exec(name) ?? [];
    const key = dotted ?? bracketed;
    if (key !== undefined && fields.get(record)?.isRecord && isEntries(input[record])) {
      const entries = input[record] ?? {};
      defineOwn(entries, key, single(values));
      defineOwn(input, record, entries);
    } else defineOwn(input, name, (fields.get(name)?.revive ?? single)(values));
  }
  return input;
}

const fieldsOf = (operation: Operation): ReadonlyMap<string, QueryField> =>
  new Map(
    Object.entries(operation.input.shape).map(([name, schema]) => [
      name,
      { revive: reviver(schema as z.core.$ZodType), isRecord: isRecord(schema as z.core.$ZodType) },
    ]),
  );

const isEntries = (value: unknown): value is object | undefined =>
  value === undefined || typeof value === 'object';

/** Also sets names of properties that every object inherits. */
const defineOwn = (target: object, name: string, value: unknown) =>
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });

function isRecord({ _zod: { def } }: z.core.$ZodType): boolean {
  return def.type === 'optional'
    ? isRecord((def as z.core.$ZodOptionalDef).innerType)
    : def.type === 'record';
}

/** A repeated parameter stays a list where one value is expected, and the schema rejects it. */
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
