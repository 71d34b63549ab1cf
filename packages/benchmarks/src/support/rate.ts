import { performance } from 'node:perf_hooks';

/**
 * The number of calls per second when so many callers send the next request as soon as they have a response.
 */
export async function rateOf(
  call: () => Promise<unknown>,
  { callers, windowMs }: { readonly callers: number; readonly windowMs: number },
): Promise<number> {
  const beganMs = performance.now();
  const untilMs = beganMs + windowMs;
  let done = 0;
  const caller = async () => {
    while (performance.now() < untilMs) {
      await call();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (done * 1000) / (performance.now() - beganMs);
}

/** Runs calls that are not measured: the JIT compiles a new process during its first requests. */
export async function warmUp(
  call: () => Promise<unknown>,
  { callers, calls }: { readonly callers: number; readonly calls: number },
): Promise<void> {
  let left = calls;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

export async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}
