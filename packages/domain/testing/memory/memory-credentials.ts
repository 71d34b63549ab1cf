import {
  renewalLeadMs,
  type RefreshReceipt,
  type SealedCredential,
} from '../../src/connections/credential.js';
import { mayHaveSentElsewhere } from '../../src/pauses/pause.js';
import type { Clock, Credentials } from '../../src/ports/index.js';
import { stateOf } from './memory-holds.js';
import type { MemoryState, StoredCredential, StoredReceipt } from './memory-state.js';
import { assertUnique, findOwned } from './rows.js';

export function memoryCredentials(state: MemoryState, clock: Clock): Credentials {
  const nowMs = () => clock.now().getTime();
  const isHeld = () => {
    const { pause } = stateOf(state);
    return pause !== null && mayHaveSentElsewhere(pause);
  };
  const receiptsOf = (workspaceId: string, connectionId: string) =>
    [...state.receipts.values()]
      .filter((row) => row.workspaceId === workspaceId && row.connectionId === connectionId)
      .sort((a, b) => b.receivedAtMs - a.receivedAtMs);
  const take = (receipt: StoredReceipt): RefreshReceipt => {
    state.receipts.delete(receipt.attempt);
    const { receivedAtMs: _, ...bare } = receipt;
    return bare;
  };
  const newRow = (credential: SealedCredential) => ({
    ...credential,
    leaseUntilMs: null,
    attempt: null,
    failures: 0,
    nextAttemptAtMs: 0,
  });

  return {
    find: async (workspaceId, id) => {
      const row = findOwned(state.credentials, workspaceId, id);
      if (!row) return null;
      const { connectionId, generation, sealed, accessExpiresAt } = row;
      return { connectionId, workspaceId, generation, sealed, accessExpiresAt };
    },
    listDue: async (platforms, limit) =>
      [...state.credentials.values()]
        .flatMap((row) => {
          const connection = state.connections.get(row.connectionId);
          if (!connection || connection.status === 'needs_reauth' || row.accessExpiresAt === null || isHeld())
            return [];
          const startMs = row.accessExpiresAt.getTime() - (connection.expiresAt === null ? aheadOf(row) : 0);
          const dueMs = Math.max(startMs, row.nextAttemptAtMs);
          const isDue = platforms.includes(connection.platform) && dueMs <= nowMs();
          return isDue && isFree(row, nowMs()) && !isAwaited(row, nowMs()) ? [{ row, dueMs }] : [];
        })
        .sort((a, b) => a.dueMs - b.dueMs)
        .slice(0, limit)
        .map(({ row: { workspaceId, connectionId, generation } }) => ({
          workspaceId,
          connectionId,
          generation,
        })),
    listUnsettled: async (ageSeconds, limit) => {
      const names = [...state.receipts.values()]
        .filter(({ receivedAtMs, connectionId, generation }) => {
          const row = state.credentials.get(connectionId);
          return receivedAtMs <= nowMs() - ageSeconds * 1000 && (!row || row.generation === generation - 1);
        })
        .map(({ workspaceId, connectionId }) => [connectionId, { workspaceId, connectionId }] as const);
      return [...new Map(names).values()].slice(0, limit);
    },
    insert: async (credential) => {
      assertUnique(!state.credentials.has(credential.connectionId), credential.connectionId);
      const { generation } = credential;
      state.credentials.set(credential.connectionId, {
        ...newRow(credential),
        fence: 0,
        grantedAs: generation,
        renewedAtMs: nowMs(),
      });
    },
    claim: async ({ connectionId, generation, attempt, leaseSeconds, isTokenRejected: refused }) => {
      if (isHeld()) return { kind: 'held' };
      const row = state.credentials.get(connectionId);
      const now = nowMs();
      if (row?.generation !== generation || !isFree(row, now) || (!refused && isAwaited(row, now)))
        return { kind: 'busy' };
      if (row.nextAttemptAtMs > now)
        return { kind: 'backing_off', retryAfterSeconds: Math.ceil((row.nextAttemptAtMs - now) / 1000) };
      const fence = row.fence + 1;
      state.credentials.set(connectionId, {
        ...row,
        fence,
        attempt,
        leaseUntilMs: now + leaseSeconds * 1000,
      });
      return { kind: 'claimed', fence, isOutcomeUnknown: row.attempt !== null, failures: row.failures };
    },
    extendLease: async (id, fence, leaseSeconds) => {
      const row = state.credentials.get(id);
      if (row?.fence !== fence || row.leaseUntilMs === null) return false;
      state.credentials.set(id, { ...row, leaseUntilMs: nowMs() + leaseSeconds * 1000 });
      return true;
    },
    release: async (id, fence, { backoffSeconds, isOutcomeUnknown }) => {
      const row = state.credentials.get(id);
      if (row?.fence !== fence) return;
      state.credentials.set(id, {
        ...row,
        leaseUntilMs: null,
        attempt: isOutcomeUnknown ? row.attempt : null,
        failures: backoffSeconds === null ? row.failures : row.failures + 1,
        nextAttemptAtMs: backoffSeconds === null ? 0 : nowMs() + backoffSeconds * 1000,
      });
    },
    storeReceipt: async (receipt) => {
      if (!state.receipts.has(receipt.attempt))
        state.receipts.set(receipt.attempt, { ...receipt, receivedAtMs: nowMs() });
    },
    applyReceipt: async (workspaceId, id) => {
      const row = findOwned(state.credentials, workspaceId, id);
      const newest = receiptsOf(workspaceId, id).find(({ generation }) => generation - 1 === row?.generation);
      if (!row || !newest) return null;
      const { generation, sealed, accessExpiresAt, receivedAtMs } = newest;
      const credential = { connectionId: id, workspaceId, generation, sealed, accessExpiresAt };
      const { fence, grantedAs } = row;
      state.credentials.set(id, { ...newRow(credential), fence, grantedAs, renewedAtMs: receivedAtMs });
      for (const old of receiptsOf(workspaceId, id)) if (old.generation < generation) take(old);
      return take(newest);
    },
    deleteSpareReceipt: async (workspaceId, id, generation) => {
      const row = findOwned(state.credentials, workspaceId, id);
      const spareReceipt = receiptsOf(workspaceId, id).find((one) => one.generation === generation);
      return row && spareReceipt && spareReceipt.generation > row.grantedAs ? take(spareReceipt) : null;
    },
    deleteReceipts: async (workspaceId, id) => receiptsOf(workspaceId, id).map(take),
    replace: async (next) => {
      const row = findOwned(state.credentials, next.workspaceId, next.connectionId);
      if (row?.generation !== next.generation - 1)
        throw new Error('the credential has been renewed meanwhile');
      state.credentials.set(next.connectionId, {
        ...newRow(next),
        fence: row.fence + 1,
        grantedAs: next.generation,
        renewedAtMs: nowMs(),
      });
      receiptsOf(next.workspaceId, next.connectionId).forEach(take);
    },
  };
}

const isFree = ({ leaseUntilMs }: StoredCredential, nowMs: number): boolean =>
  leaseUntilMs === null || leaseUntilMs <= nowMs;

const aheadOf = ({ accessExpiresAt, renewedAtMs }: StoredCredential): number =>
  accessExpiresAt === null ? 0 : renewalLeadMs(accessExpiresAt.getTime() - renewedAtMs);

const isAwaited = (row: StoredCredential, nowMs: number): boolean =>
  row.attempt !== null &&
  row.leaseUntilMs !== null &&
  row.accessExpiresAt !== null &&
  nowMs < row.accessExpiresAt.getTime() - aheadOf(row) / 2;
