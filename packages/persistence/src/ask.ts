import type { Client } from './columns.js';

/** Asks with a statement of our own and its values. */
export type Ask = <Row extends object>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** Inside the transaction of `client`, if it is in one. */
export const askThrough =
  (client: Client): Ask =>
  (text, values) =>
    client.$queryRawUnsafe(text, ...values);
