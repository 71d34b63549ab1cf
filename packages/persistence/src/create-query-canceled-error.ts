/** The SQLSTATE of a statement cancelled by `statement_timeout` or by a cancel request. */
const QUERY_CANCELED = '57014';

/**
 * The same error for a query that was abandoned before it was sent, in the form of PostgreSQL's errors, which
 * Prisma passes on.
 */
export const createQueryCanceledError = (message: string): Error =>
  Object.assign(new Error(message), { code: QUERY_CANCELED, severity: 'ERROR' });
