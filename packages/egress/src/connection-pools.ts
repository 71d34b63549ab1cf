import type { Agent } from 'undici';

/** Connections, each pool's for itself. */
export interface ConnectionPools {
  get(pool: string): Agent;
  destroy(): Promise<void>;
}

const POOLS_MAX = 500;

/** The pool that was used the longest ago goes first; what is on its way in it comes to its end. */
export function connectionPools(create: () => Agent): ConnectionPools {
  const agents = new Map<string, Agent>();
  return {
    get(pool) {
      const agent = agents.get(pool) ?? create();
      agents.delete(pool);
      agents.set(pool, agent);
      const [oldest] = agents;
      if (agents.size > POOLS_MAX && oldest) {
        agents.delete(oldest[0]);
        // It resolves when the last request is over; destroyed meanwhile, it rejects, and nobody waits for it.
        oldest[1].close().catch(() => undefined);
      }
      return agent;
    },
    destroy: async () => void (await Promise.all([...agents.values()].map((agent) => agent.destroy()))),
  };
}
