import type { DatabaseClient } from './columns.js';

/** Asks with a statement of our own and its values. */
export type QueryRunner = <Row extends object>(
  text: string,
  values: readonly unknown[],
) => Promise<readonly Row[]>;

/** Inside the transaction of `client`, if it is in one. */
export const createQueryRunner =
  (client: DatabaseClient): QueryRunner =>
  (text, values) =>
    client.$queryRawUnsafe(text, ...values);
