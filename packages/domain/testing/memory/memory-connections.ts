import { identityOf, isSameAccount } from '../../src/connections/account-identity.js';
import type { ConnectChoice, ConnectFlow, ConnectSession } from '../../src/connections/connect-session.js';
import { assessConnectionHealth, WARNING_DAYS } from '../../src/connections/connection-health.js';
import { SCHEDULED_POSTS_MAX } from '../../src/connections/list-connections.js';
import type { ConnectionId, WorkspaceId } from '../../src/ids.js';
import type { Clock, ConnectionFilter, Connections, ConnectSessions } from '../../src/ports/index.js';
import { presentedOf } from '../builders.js';
import { waitingStatuses } from './memory-deliveries.js';
import { forgetHealth } from './memory-dismissals.js';
import { forgetStoreWebhook } from './memory-store-webhooks.js';
import { forgetWatch } from './memory-order-watches.js';
import type { MemoryState } from './memory-state.js';
import { omitUndefined, ofWorkspace, findOwned, pageOf, sameBytes, assertUnique, insertNew } from './rows.js';

const DAY_MS = 86_400_000;

const ALL_MAX = 500;

export function memoryConnections(state: MemoryState, clock: Clock): Connections {
  const fitting = (workspaceId: WorkspaceId, filter: ConnectionFilter) =>
    ofWorkspace(state.connections, workspaceId).filter(
      (row) =>
        (filter.reach?.includes(row.profileId) ?? true) &&
        (filter.ids?.includes(row.id) ?? true) &&
        (filter.profileId ?? row.profileId) === row.profileId &&
        (filter.platforms?.includes(row.platform) ?? true) &&
        (filter.kind ?? row.kind) === row.kind &&
        (filter.statuses?.includes(row.status) ?? true) &&
        (filter.externalId ?? row.externalId) === row.externalId &&
        (!filter.isPaused || row.pause !== null) &&
        Object.entries(filter.metadata ?? {}).every(([key, value]) => row.metadata[key] === value),
    );

  const findByAccount: Connections['findByAccount'] = async (workspaceId, profileId, account) =>
    fitting(workspaceId, { reach: null, profileId, platforms: [account.platform] }).find((one) =>
      isSameAccount(identityOf(one), account),
    ) ?? null;

  const scheduled = (workspaceId: WorkspaceId, id: ConnectionId) => {
    const times = ofWorkspace(state.deliveries, workspaceId)
      .filter(({ connectionId, status }) => connectionId === id && waitingStatuses.includes(status))
      .map(({ nextAttemptAt, scheduledAt }) => nextAttemptAt ?? scheduledAt)
      .sort((a, b) => a.getTime() - b.getTime());
    return { count: Math.min(times.length, SCHEDULED_POSTS_MAX), nextAt: times[0] ?? null };
  };

  return {
    find: async (workspaceId, id) => findOwned(state.connections, workspaceId, id),
    // Transactions are serialized here.
    lock: async (workspaceId, id) => findOwned(state.connections, workspaceId, id),
    findByAccount,
    listByAccount: async (workspaceId, account) =>
      fitting(workspaceId, { reach: null }).filter((one) => isSameAccount(identityOf(one), account)),
    async list(workspaceId, filter, page) {
      const { items, ...rest } = pageOf(fitting(workspaceId, filter).reverse(), page);
      const views = items.map((connection) => {
        const { count, nextAt } = scheduled(workspaceId, connection.id);
        return { connection: presentedOf(connection), scheduledPosts: count, nextPostAt: nextAt };
      });
      return { ...rest, items: views };
    },
    listAll: async (workspaceId, filter) => fitting(workspaceId, filter).slice(0, ALL_MAX),
    listPlatforms: async (workspaceId, reach, platforms) => [
      ...new Set(fitting(workspaceId, { reach, platforms }).map(({ platform }) => platform)),
    ],
    listByIds: async (ids) => ids.flatMap((id) => state.connections.get(id) ?? []),
    listWarningsDue: async (limit) =>
      [...state.connections.values()]
        .filter(({ status, expiresAt, warnedDays }) => {
          const [next] = WARNING_DAYS.filter((days) => warnedDays === null || days < warnedDays);
          const remainingMs = (expiresAt?.getTime() ?? Infinity) - clock.now().getTime();
          return status !== 'needs_reauth' && next !== undefined && remainingMs <= next * DAY_MS;
        })
        .slice(0, limit)
        .map(({ id, workspaceId }) => ({ id, workspaceId })),
    listToReview: async (wanted, limit) =>
      [...state.connections.values()]
        .filter((connection) => {
          const { grantedPermissions: granted, status, warnedDays } = connection;
          const standing = assessConnectionHealth(connection, null, clock.now());
          const rows = wanted.filter(({ platform }) => platform === connection.platform);
          const row =
            rows.find(({ connectMethod }) => connectMethod === connection.connectMethod) ??
            rows.find(({ connectMethod }) => connectMethod === null);
          const lacks = granted.length > 0 && row?.permissions.some((one) => !granted.includes(one));
          const now = lacks ? 'degraded' : standing.status;
          return status !== 'needs_reauth' && (standing.warningDays !== warnedDays || now !== status);
        })
        .slice(0, limit)
        .map(({ id, workspaceId }) => ({ id, workspaceId })),
    insert: async (connection) => {
      const { workspaceId, profileId, account } = connection;
      const known = await findByAccount(workspaceId, profileId, identityOf(connection));
      assertUnique(known === null, account.id);
      state.connections.set(connection.id, connection);
    },
    update: async (workspaceId, id, changes) => {
      const row = findOwned(state.connections, workspaceId, id);
      if (!row) return null;
      const changed = { ...row, ...omitUndefined(changes), version: row.version + 1 };
      state.connections.set(id, changed);
      if (changed.status !== row.status || changed.statusReason !== row.statusReason) forgetHealth(state, id);
      return changed;
    },
    delete: async (workspaceId, id) => {
      if (!findOwned(state.connections, workspaceId, id)) return;
      state.connections.delete(id);
      state.credentials.delete(id);
      forgetWatch(state, id);
      forgetStoreWebhook(state, id);
      for (const [attempt, { connectionId }] of state.receipts)
        if (connectionId === id) state.receipts.delete(attempt);
    },
  };
}

export const memoryConnectSessions = (state: MemoryState, clock: Clock): ConnectSessions => ({
  find: async (workspaceId, id) => findOwned(state.connectSessions, workspaceId, id),
  findByToken: async (hash) =>
    [...state.connectSessions.values()].find(({ tokenHash }) => sameBytes(tokenHash, hash)) ?? null,
  insert: async (session) => insertNew(state.connectSessions, session),
  // Transactions are serialized here.
  lock: async (workspaceId, id) => findOwned(state.connectSessions, workspaceId, id),
  extend: async (id, changes) => changePending(state, id, changes),
  async postponeExpiry(id, expiresAt) {
    const session = state.connectSessions.get(id);
    if (session && session.expiresAt < expiresAt) changePending(state, id, { expiresAt });
  },
  end: async (id, ending) => changePending(state, id, ending),
  insertFlow: async (flow) => {
    for (const [name, old] of state.connectFlows) {
      const same = old.sessionId === flow.sessionId && old.platform === flow.platform;
      if (same && sameBytes(old.browserHash, flow.browserHash)) state.connectFlows.delete(name);
    }
    state.connectFlows.set(flow.stateHash.join(), flow);
  },
  consumeFlow: async (stateHash, browserHash) => {
    const flow = state.connectFlows.get(stateHash.join());
    if (!flow || !sameBytes(flow.browserHash, browserHash) || flow.expiresAt <= clock.now()) return null;
    state.connectFlows.delete(stateHash.join());
    return flow;
  },
  findFlowByKeyCallback: async (deliveryHash) => findAwaitingFlow(state, deliveryHash, clock),
  storeKeyCallback: async (deliveryHash, sealedDelivery) => {
    const flow = findAwaitingFlow(state, deliveryHash, clock);
    if (flow) state.connectFlows.set(flow.stateHash.join(), { ...flow, sealedDelivery });
    return flow !== null;
  },
  findChoice: async (workspaceId, sessionId, browserHash) =>
    ofWorkspace(state.connectChoices, workspaceId)
      .filter((choice) => choice.sessionId === sessionId && choice.expiresAt > clock.now())
      .find((choice) => sameBytes(choice.browserHash, browserHash)) ?? null,
  insertChoice: async (choice) => {
    for (const old of state.connectChoices.values()) {
      const same = old.sessionId === choice.sessionId && sameBytes(old.browserHash, choice.browserHash);
      if (same) expireChoices(state, old, clock);
    }
    state.connectChoices.set(choice.id, choice);
  },
  consumeChoice: async (id) => {
    const choice = state.connectChoices.get(id);
    if (!choice || choice.expiresAt <= clock.now()) return null;
    state.connectChoices.delete(id);
    return choice;
  },
  abandonChoice: async (id) => {
    const choice = state.connectChoices.get(id);
    if (choice) expireChoices(state, choice, clock);
    return choice !== undefined;
  },
  deleteChoice: async (id) => {
    state.connectChoices.delete(id);
  },
  listAbandonedChoices: async (limit) =>
    [...state.connectChoices.values()]
      .filter(
        ({ sessionId, expiresAt }) =>
          expiresAt <= clock.now() || state.connectSessions.get(sessionId)?.status !== 'pending',
      )
      .slice(0, limit),
});

function changePending(state: MemoryState, id: string, changes: Partial<ConnectSession>) {
  const row = state.connectSessions.get(id);
  if (row?.status !== 'pending') return null;
  const changed = { ...row, ...changes };
  state.connectSessions.set(id, changed);
  return changed;
}

function expireChoices(state: MemoryState, choice: ConnectChoice, clock: Clock): void {
  const now = clock.now();
  if (choice.expiresAt > now) state.connectChoices.set(choice.id, { ...choice, expiresAt: now });
}

/** The flow that waits for keys under this secret. */
function findAwaitingFlow(state: MemoryState, deliveryHash: Uint8Array, clock: Clock): ConnectFlow | null {
  const waits = ({ deliveryHash: own, sealedDelivery, expiresAt }: ConnectFlow) =>
    own !== null && sameBytes(own, deliveryHash) && sealedDelivery === null && expiresAt > clock.now();
  return [...state.connectFlows.values()].find(waits) ?? null;
}
