import { performance } from 'node:perf_hooks';

interface OfferedLoad {
  readonly perSecond: number;
  readonly forMs: number;
  readonly call: () => Promise<unknown>;
}

interface LoadOutcome {
  /** From the time at which each call was due, so that a late start counts. */
  readonly latenciesMs: readonly number[];
  readonly errors: readonly string[];
}

const TICK_MS = 5;

/** Makes calls at a constant rate, whether or not earlier ones have ended. */
export async function offerLoad({ perSecond, forMs, call }: OfferedLoad): Promise<LoadOutcome> {
  const latenciesMs: number[] = [];
  const errors: string[] = [];
  const pending = new Set<Promise<void>>();
  const beganMs = performance.now();
  for (
    let sent = 0;
    performance.now() - beganMs < forMs;
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  ) {
    for (; sent < ((performance.now() - beganMs) * perSecond) / 1000; sent += 1) {
      const dueMs = beganMs + (sent * 1000) / perSecond;
      const work = call()
        .then(
          () => void latenciesMs.push(performance.now() - dueMs),
          (error: unknown) => void errors.push(String(error)),
        )
        .finally(() => pending.delete(work));
      pending.add(work);
    }
  }
  await Promise.all(pending);
  return { latenciesMs, errors };
}
