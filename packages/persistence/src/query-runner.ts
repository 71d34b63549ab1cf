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
