import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallerQueries, QueryingCaller } from '@switchboard/domain/ports';

/** The caller that queries run for; shared by everything that its work awaits. */
export interface CallerScope extends QueryingCaller {
  /** The number of connections that its transactions hold. */
  transactions: number;
}

const scopes = new AsyncLocalStorage<CallerScope & { hasEnded: boolean }>();

export const callerQueries: CallerQueries = {
  run: (caller, work) => {
    const scope = { ...caller, transactions: 0, hasEnded: false };
    // Awaited inside: a Prisma promise starts its query when it is awaited.
    return scopes.run(scope, async () => {
      try {
        return await work();
      } finally {
        scope.hasEnded = true;
      }
    });
  },
};

/** Undefined outside every call, and in work that outlives its call, such as a timer. */
export function currentCaller(): CallerScope | undefined {
  const scope = scopes.getStore();
  return scope?.hasEnded === false ? scope : undefined;
}
