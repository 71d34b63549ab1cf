/** The code under which PostgreSQL reports a statement that `statement_timeout` or a cancel request ended. */
export const QUERY_CANCELED = '57014';

/** The same for a query that was given up before it was sent, in the form of PostgreSQL's errors, which Prisma passes on. */
export const createQueryCanceledError = (message: string): Error =>
  Object.assign(new Error(message), { code: QUERY_CANCELED, severity: 'ERROR' });
