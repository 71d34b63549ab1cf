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

const CALLS_IN_TURN = 1000;

/**
 * Warms up several servers in turns of 1,000 calls. V8 discards compiled code in a process that is idle for
 * some seconds, such as one that waits for the warm-up of the others.
 */
export async function warmUpInTurns(
  servers: readonly (() => Promise<unknown>)[],
  { callers, calls }: { readonly callers: number; readonly calls: number },
): Promise<void> {
  for (let done = 0; done < calls; done += CALLS_IN_TURN)
    for (const call of servers) await warmUp(call, { callers, calls: CALLS_IN_TURN });
}

export async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}
