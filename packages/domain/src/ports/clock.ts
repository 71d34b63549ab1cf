/**
 * The time. A running service uses the database clock: processes on several machines and the database's own
 * `now()` share one clock, which is independent of a machine's clock. Whether something is due is evaluated
 * by the database itself, in the claim.
 */
export interface Clock {
  now(): Date;
  /** The time `ms` milliseconds from now; negative for the past. */
  after(ms: number): Date;
  /** Resolves after `ms` milliseconds, or earlier when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
