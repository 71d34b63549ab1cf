import { Prisma } from './generated/client.js';

/** A client that is inside a transaction, or none in particular. */
export type DatabaseClient = Prisma.TransactionClient;

/** What a jsonb column holds is what we wrote into it. */
export const readJson = <Value>(value: Prisma.JsonValue): Value => value as Value;

export const writeJson = (value: unknown): Prisma.InputJsonValue => value as Prisma.InputJsonValue;

/** For columns that may be null: an SQL null, not the JSON text `null`. */
export const writeNullableJson = (value: unknown): Prisma.InputJsonValue | typeof Prisma.DbNull =>
  value === null ? Prisma.DbNull : (value as Prisma.InputJsonValue);

/** JSON that PostgreSQL can keep: its text has no NUL, which somebody else's error message may well have. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u0000')) return text;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replaceAll('\0', '') : part,
  );
}

export const writeBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

type DefinedFields<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** The fields that were given: what is undefined stays as it is in the row. */
export const omitUndefined = <Fields extends object>(fields: Fields): Partial<DefinedFields<Fields>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<
    DefinedFields<Fields>
  >;
