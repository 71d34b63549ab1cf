/**
 * The time. In a running service it is the database's: what processes on several machines and the database's own `now()` decide
 * about times is decided by one clock, which no jump of a machine's clock moves. Whether something is due is asked of the
 * database itself, where it is claimed.
 */
export interface Clock {
  now(): Date;
  /** The time `ms` milliseconds from now; negative for the past. */
  after(ms: number): Date;
  /** Resolves after `ms` milliseconds, or earlier when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
