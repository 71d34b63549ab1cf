import type { Clock, Idempotency, IdempotencyScope } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';

const KEPT_MS = 72 * 3_600_000;

const nameOf = ({ workspaceId, operation, lineage, key }: IdempotencyScope) =>
  JSON.stringify([workspaceId, operation, lineage, key]);

export function memoryIdempotency(state: MemoryState, clock: Clock): Idempotency {
  return {
    claim: async (scope, fingerprint, leaseSeconds) => {
      const nowMs = clock.now().getTime();
      const row = state.requests.get(nameOf(scope));
      const kept = row && row.createdAtMs > nowMs - KEPT_MS ? row : undefined;
      if (kept?.response) return { kind: 'answered', fingerprint: kept.fingerprint, ...kept.response };
      if (kept && (kept.leaseUntilMs > nowMs || kept.fingerprint !== fingerprint)) {
        return { kind: 'in_progress', fingerprint: kept.fingerprint };
      }
      const leaseUntilMs = nowMs + leaseSeconds * 1000;
      state.requests.set(nameOf(scope), { fingerprint, leaseUntilMs, response: null, createdAtMs: nowMs });
      return { kind: 'claimed' };
    },
    storeResponse: async (scope, status, sealedBody) => {
      const row = state.requests.get(nameOf(scope));
      if (row?.response === null)
        state.requests.set(nameOf(scope), { ...row, response: { status, sealedBody } });
    },
    replaceResponse: async (scope, status, sealedBody) => {
      const row = state.requests.get(nameOf(scope));
      if (row?.response) state.requests.set(nameOf(scope), { ...row, response: { status, sealedBody } });
    },
    release: async (scope) => {
      if (state.requests.get(nameOf(scope))?.response === null) state.requests.delete(nameOf(scope));
    },
  };
}
