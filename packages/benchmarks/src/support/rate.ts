import { performance } from 'node:perf_hooks';

/** How many calls a second get done when so many callers ask again as soon as they are answered. */
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

/** So many calls that do not count: what has just been started is compiled while it is asked. */
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
