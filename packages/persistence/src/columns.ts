import type { Prisma } from './generated/client.js';

export type DatabaseClient = Prisma.TransactionClient;

/** A jsonb column contains only values that this service wrote. */
export const readJson = <Value>(value: Prisma.JsonValue): Value => value as Value;

/**
 * A row with the types of the domain: its ids, states and jsonb columns contain only values that this service wrote.
 * A field without a column does not compile.
 */
export const readRow = <Fields extends object>(row: { readonly [Name in keyof Fields]: unknown }): Fields =>
  row as Fields;

export const writeJson = (value: unknown): Prisma.InputJsonValue => value as Prisma.InputJsonValue;

/** JSON that PostgreSQL can store: without NUL, which quoted error messages may contain. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u0000')) return text;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replaceAll('\0', '') : part,
  );
}

export const writeBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);

type DefinedFields<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** The defined fields: undefined ones leave their column unchanged. */
export const omitUndefined = <Fields extends object>(fields: Fields): Partial<DefinedFields<Fields>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<
    DefinedFields<Fields>
  >;

/** Stores the latest use of each row, never an earlier one. */
export async function touchUsed(
  client: DatabaseClient,
  table: Prisma.Sql,
  uses: readonly { readonly id: string; readonly at: Date }[],
): Promise<void> {
  if (uses.length === 0) return;
  const [ids, times] = [uses.map(({ id }) => id), uses.map(({ at }) => at.toISOString())];
  await client.$executeRaw`
    UPDATE ${table} AS t SET last_used_at = used.at
    FROM (SELECT id, max(at) AS at FROM unnest(${ids}::text[], ${times}::timestamptz[]) AS use (id, at) GROUP BY id) AS used
    WHERE t.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`;
}
