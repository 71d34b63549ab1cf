/** The time of this process, for what only this process decides (deadlines, time stamps). What is due is decided by the database's clock. */
export interface Clock {
  now(): Date;
  /** The time `ms` milliseconds from now; negative for the past. */
  after(ms: number): Date;
  /** Resolves after `ms` milliseconds, or earlier when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
