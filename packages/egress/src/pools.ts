import type { Agent } from 'undici';

/** Connections, each pool's for itself. */
export interface Pools {
  of(pool: string): Agent;
  destroy(): Promise<void>;
}

const POOLS_MAX = 500;

/** The pool that was used the longest ago goes first; what is on its way in it comes to its end. */
export function pools(create: () => Agent): Pools {
  const kept = new Map<string, Agent>();
  return {
    of(pool) {
      const agent = kept.get(pool) ?? create();
      kept.delete(pool);
      kept.set(pool, agent);
      const [oldest] = kept;
      if (kept.size > POOLS_MAX && oldest) {
        kept.delete(oldest[0]);
        // It resolves when the last request is over; destroyed meanwhile, it rejects, and nobody waits for it.
        oldest[1].close().catch(() => undefined);
      }
      return agent;
    },
    destroy: async () => void (await Promise.all([...kept.values()].map((agent) => agent.destroy()))),
  };
}
