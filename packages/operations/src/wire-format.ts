import { toSnakeName, type Money } from '@switchboard/domain';
import { isoTime, presentMoney } from './shapes.js';

type SnakeKey<Key> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeKey<Tail>}`
  : Key;

/**
 * A value as its object has it on the wire: names in snake_case, times as text, money as a decimal. Records
 * keep their keys, because the caller chose them.
 */
type WireFormat<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends Date
    ? string
    : T extends Money
      ? ReturnType<typeof presentMoney>
      : T extends readonly (infer Item)[]
        ? WireFormat<Item>[]
        : string extends keyof T
          ? T
          : { [Key in keyof T as SnakeKey<Key>]: WireFormat<T[Key]> };

/** The schema of the response removes what it does not declare. */
export const toWireFormat = <T>(value: T): WireFormat<T> => convert(value) as WireFormat<T>;

function convert(value: unknown): unknown {
  if (value instanceof Date) return isoTime(value);
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  return isMoney(value) ? presentMoney(value) : snakeKeys(value);
}

const isMoney = (value: object): value is Money => 'amountMinor' in value && 'currency' in value;

/** Names of ours, of nested objects too; only the caller's metadata is a record. */
export function snakeKeys(source: object): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(source) as [string, unknown][])
    result[toSnakeName(key)] = key === 'metadata' ? value : convert(value);
  return result;
}
