import type { WorkspaceId } from '../ids.js';

/** The caller on whose behalf the database is queried. */
export interface QueryingCaller {
  readonly workspaceId: WorkspaceId;
  /** Cancels the running statement when aborted; null for work that must not stop half-way. */
  readonly signal: AbortSignal | null;
}

/** Isolates the queries of one caller from those of another. */
export interface CallerQueries {
  /**
   * Runs `work` with all of its queries counted against the workspace's share of the connections, and each of
   * its statements limited by the statement timeout for callers. A statement that is canceled, or gets no
   * connection in that time, rejects with PostgreSQL's `query_canceled` (57014).
   */
  run<Value>(caller: QueryingCaller, work: () => Promise<Value>): Promise<Value>;
}
