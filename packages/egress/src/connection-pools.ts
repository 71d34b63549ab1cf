import type { Agent } from 'undici';

/** Keeps the connections of each pool separate. */
interface ConnectionPools {
  get(pool: string): Agent;
  destroy(): Promise<void>;
}

const POOLS_MAX = 500;

/** Evicts the least recently used pool; its requests in flight complete. */
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
        // Resolves after the last request; if the agent is destroyed first it rejects, which has no effect
        // here.
        oldest[1].close().catch(() => undefined);
      }
      return agent;
    },
    destroy: async () => void (await Promise.all([...agents.values()].map((agent) => agent.destroy()))),
  };
}
