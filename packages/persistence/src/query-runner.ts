import type { DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';

/** Runs raw SQL with its parameters. */
export type QueryRunner = <Row extends object>(
  text: string,
  values: readonly unknown[],
) => Promise<readonly Row[]>;

/** Runs inside the transaction of `client`, if there is one. */
export const createQueryRunner =
  (client: DatabaseClient): QueryRunner =>
  (text, values) =>
    client.$queryRawUnsafe(text, ...values);

/**
 * In the text of a statement whose best plan depends on its values, such as a filter that may match all rows
 * or none: PostgreSQL plans it for each execution. A prepared statement would keep the plan that was best for
 * the values of its first executions.
 */
export const PLANNED_PER_VALUE = '/* planned per value */';

/**
 * A constant number in the text of a statement, such as the limit of what a worker reads again and again. With a
 * parameter as the limit, PostgreSQL expects that a plan for all values reads a tenth of the matching rows, and plans
 * each execution instead: 2.9 ms instead of 0.5 for what is due, with a million waiting posts.
 */
export const constant = (value: number): Prisma.Sql => Prisma.raw(String(Math.trunc(value)));

/** One more than the page sizes that most callers request: each becomes a text of its own. */
const COMMON_LIMITS: ReadonlySet<number> = new Set([21, 51, 101]);

export const isCommonLimit = (limit: number): boolean => COMMON_LIMITS.has(limit);

/** The limit of a page, in the text where it is a common one. */
export const pageLimit = (limit: number): Prisma.Sql =>
  isCommonLimit(limit) ? constant(limit) : Prisma.sql`${limit}`;

/**
 * Whether a column is one of these values. One value is compared by equality: of an array, PostgreSQL expects ten values
 * in a plan for all, and plans each execution instead.
 */
export const isOneOf = (column: string, values: readonly string[]): Prisma.Sql =>
  values.length === 1
    ? Prisma.sql`${Prisma.raw(column)} = ${values[0]}`
    : Prisma.sql`${Prisma.raw(column)} = ANY (${[...values]}::text[])`;
