import { toSnakeName } from '@switchboard/domain';
import type { DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';

/** The columns of a model under the names of its fields: a raw statement returns the rows of the model with them. */
export const modelColumns = (
  table: string,
  fields: Readonly<Record<string, string>>,
  prefix = '',
): Prisma.Sql =>
  Prisma.raw(
    Object.values(fields)
      .map((field) => `${table}.${toSnakeName(field)} AS "${prefix}${field}"`)
      .join(', '),
  );

/**
 * Reads rows of a model by a raw statement: `findMany` costs the process three times as much
 * (docs/decisions/016-where-the-time-goes.md). For what every request, hosted page or start reads.
 */
export const rowsOf = <Row>(table: string, fields: Readonly<Record<string, string>>) => {
  const select = Prisma.sql`SELECT ${modelColumns(table, fields)} FROM ${Prisma.raw(table)}`;
  return (client: DatabaseClient, conditions: Prisma.Sql): Promise<Row[]> =>
    client.$queryRaw`${select} ${conditions}`;
};

/** The row of one model from a row with the columns of several, each with its prefix. */
export const pickRow = <Row>(
  row: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<keyof Row & string, string>>,
  prefix: string,
): Row =>
  Object.fromEntries(Object.keys(fields).map((field) => [field, row[prefix + field]])) as unknown as Row;
