/** A concurrent transaction changed data that this one had read: a retry from the start may succeed. */
export class WriteConflictError extends Error {
  override readonly name = 'WriteConflictError';
}
