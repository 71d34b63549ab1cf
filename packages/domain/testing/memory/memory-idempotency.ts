import type { Clock, Idempotency, IdempotencyScope } from '../../src/index.js';
import type { MemoryState } from './memory-state.js';

const KEPT_MS = 72 * 3_600_000;

const nameOf = ({ workspaceId, operation, lineage, key }: IdempotencyScope) =>
  JSON.stringify([workspaceId, operation, lineage, key]);

export function memoryIdempotency(state: MemoryState, clock: Clock): Idempotency {
  return {
    claim: async (scope, fingerprint, leaseSeconds) => {
      const nowMs = clock.now().getTime();
      const row = state.requests.get(nameOf(scope));
      const kept = row && row.madeAtMs > nowMs - KEPT_MS ? row : undefined;
      if (kept?.answer) return { kind: 'answered', fingerprint: kept.fingerprint, ...kept.answer };
      if (kept && (kept.leaseUntilMs > nowMs || kept.fingerprint !== fingerprint)) {
        return { kind: 'in_progress', fingerprint: kept.fingerprint };
      }
      const leaseUntilMs = nowMs + leaseSeconds * 1000;
      state.requests.set(nameOf(scope), { fingerprint, leaseUntilMs, answer: null, madeAtMs: nowMs });
      return { kind: 'claimed' };
    },
    answer: async (scope, status, sealedBody) => {
      const row = state.requests.get(nameOf(scope));
      if (row?.answer === null) state.requests.set(nameOf(scope), { ...row, answer: { status, sealedBody } });
    },
    amend: async (scope, status, sealedBody) => {
      const row = state.requests.get(nameOf(scope));
      if (row?.answer) state.requests.set(nameOf(scope), { ...row, answer: { status, sealedBody } });
    },
    release: async (scope) => {
      if (state.requests.get(nameOf(scope))?.answer === null) state.requests.delete(nameOf(scope));
    },
  };
}
