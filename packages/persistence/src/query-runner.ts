import type { DatabaseClient } from './columns.js';

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
