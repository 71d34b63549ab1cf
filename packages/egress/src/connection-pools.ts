import type { Agent } from 'undici';

const POOLS_MAX = 500;

/** Keeps the connections of each pool separate. Evicts the least recently used pool; its requests in flight complete. */
export function connectionPools(create: () => Agent) {
  const agents = new Map<string, Agent>();
  return {
    get(pool: string): Agent {
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
