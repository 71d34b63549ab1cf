import type { Money } from '@switchboard/domain';
import { presentMoney } from './shapes.js';

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
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  return isMoney(value) ? presentMoney(value) : snakeKeys(value);
}

const isMoney = (value: object): value is Money => 'amountMinor' in value && 'currency' in value;

/** Names of ours, of nested objects too; only the caller's metadata is a record. */
export const snakeKeys = (source: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(source).map(([key, value]: [string, unknown]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      key === 'metadata' ? value : convert(value),
    ]),
  );
