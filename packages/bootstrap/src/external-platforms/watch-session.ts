import { refuse } from '@switchboard/domain';
import type { PlatformRequest, Session } from '@switchboard/domain/ports';

/** How long an adapter may take to end its call after the call was aborted. */
const ABORT_MS = 5_000;

/**
 * A session that measures how long an adapter does something else than waiting for it: `idleMs` between two
 * requests, `totalMs` in all.
 */
export function watchSession(
  session: Session,
  { idleMs, totalMs }: { readonly idleMs: number; readonly totalMs: number },
) {
  const ending = new AbortController();
  const ownErrors = new WeakSet<object>();
  let hasWritten = false;
  let pending = 0;
  let idle: NodeJS.Timeout | undefined;
  let giveUp = (): void => undefined;
  const hung = new Promise<'hung'>((resolve) => (giveUp = () => resolve('hung')));
  const total = setTimeout(giveUp, totalMs);
  const startIdle = () => (idle = setTimeout(giveUp, idleMs));
  startIdle();
  let aborted: NodeJS.Timeout | undefined;
  const onAbort = () => (aborted = setTimeout(giveUp, Math.min(ABORT_MS, idleMs)));
  session.signal.addEventListener('abort', onAbort);

  async function request(platformRequest: PlatformRequest) {
    if (ending.signal.aborted)
      return refuse('platform.unavailable', 'The call of the adapter has ended. Nothing was sent.');
    if (!['GET', 'HEAD'].includes(platformRequest.method)) hasWritten = true;
    pending += 1;
    clearTimeout(idle);
    try {
      return await session.request(platformRequest);
    } catch (error) {
      if (typeof error === 'object' && error !== null) ownErrors.add(error);
      throw error;
    } finally {
      pending -= 1;
      if (pending === 0 && !ending.signal.aborted) startIdle();
    }
  }

  return {
    /** For the adapter; after `end` it sends nothing. */
    session: Object.freeze({
      ...session,
      signal: AbortSignal.any([session.signal, ending.signal]),
      request,
    }),
    /** Resolves when the call takes too long. */
    hung,
    /** Whether a request was sent that may have changed something at the platform. */
    hasWritten: () => hasWritten,
    /** Whether the error was thrown by the session itself, and only passed on by the adapter. */
    isOwnError: (error: unknown) => typeof error === 'object' && error !== null && ownErrors.has(error),
    end() {
      clearTimeout(total);
      clearTimeout(idle);
      clearTimeout(aborted);
      session.signal.removeEventListener('abort', onAbort);
      ending.abort();
    },
  };
}
