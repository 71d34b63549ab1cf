/** Another transaction was faster and what this one read is no longer so: run again from its beginning, it may succeed. */
export class WriteConflictError extends Error {
  override readonly name = 'WriteConflictError';
}
