import type { Event } from '../../src/events/event.js';
import type {
  AuditRow,
  Clock,
  EventFeed,
  Ids,
  Job,
  Repositories,
  Transactions,
  Tx,
} from '../../src/ports/index.js';
import { countedIds } from '../counted-ids.js';
import { movableClock } from '../movable-clock.js';
import { memoryApprovals } from './memory-approvals.js';
import { memoryAudit, memoryAuditTrail } from './memory-audit.js';
import {
  memoryAccessTokens,
  memoryClients,
  memoryInvitations,
  memoryOAuthRecords,
} from './memory-clients.js';
import { memoryConnections, memoryConnectSessions } from './memory-connections.js';
import { memoryCredentials } from './memory-credentials.js';
import { memoryExternalPosts } from './memory-external-posts.js';
import { memoryIdempotency } from './memory-idempotency.js';
import { memoryMedia, memoryMediaStores } from './memory-media.js';
import { memoryOrderWatches } from './memory-order-watches.js';
import { memoryStoreWebhooks } from './memory-store-webhooks.js';
import { memoryPauses } from './memory-pauses.js';
import { memoryPlatformApps } from './memory-platform-apps.js';
import { memoryDismissals } from './memory-dismissals.js';
import { memoryDeliveries } from './memory-deliveries.js';
import { memoryPostingQueues, memoryPosts } from './memory-posts.js';
import { memoryLedger, memoryRefunds } from './memory-refunds.js';
import { memorySnapshots } from './memory-snapshots.js';
import { copyState, emptyState, type MemoryState } from './memory-state.js';
import { memoryWebhooks } from './memory-webhooks.js';
import {
  memoryApiKeys,
  memoryCanaries,
  memoryDataKeys,
  memoryNotifications,
  memoryProcessRegistry,
  memoryProfiles,
  memoryWorkspaces,
} from './memory-tenancy.js';

/**
 * In-memory storage for tests of use cases. It fulfills the same contract as the database, with the given
 * clock.
 */
export function memoryPorts(clock = movableClock()) {
  const ids = countedIds(clock);
  let committed = emptyState();
  let turn: Promise<unknown> = Promise.resolve();

  const transactions: Transactions = {
    run(work) {
      const run = turn.then(async () => {
        const state = copyState(committed);
        const result = await work(memoryTx(state, clock, ids));
        if (result.ok) committed = state;
        return result;
      });
      turn = run.catch(() => undefined);
      return run;
    },
  };
  return {
    clock,
    ids,
    /** Committed data; readable, and writable without a transaction for test setup. */
    repositories: onCommitted(() => memoryRepositories(committed, clock)),
    canaries: memoryCanaries(() => committed),
    processRegistry: memoryProcessRegistry(() => committed, clock),
    mediaStores: memoryMediaStores(() => committed),
    /** Serialized: a transaction inside another one waits forever. */
    transactions,
    /** Committed events, oldest first. */
    events: (): readonly Event[] => [...committed.events.values()],
    auditRows: (): readonly AuditRow[] =>
      [...committed.audit.values()].map(
        ({ workspaceId, actor, action, object, outcome, requestId, details }) => ({
          workspaceId,
          actor,
          action,
          object,
          outcome,
          requestId,
          details,
        }),
      ),
    jobs: (): readonly { readonly job: Job; readonly startAfter: Date | undefined }[] => [
      ...committed.jobs.values(),
    ],
  };
}

export type MemoryPorts = ReturnType<typeof memoryPorts>;

const memoryRepositories = (state: MemoryState, clock: Clock): Repositories => ({
  workspaces: memoryWorkspaces(state),
  profiles: memoryProfiles(state),
  apiKeys: memoryApiKeys(state, clock),
  invitations: memoryInvitations(state, clock),
  clients: memoryClients(state, clock),
  accessTokens: memoryAccessTokens(state),
  oauthRecords: memoryOAuthRecords(state, clock),
  connections: memoryConnections(state, clock),
  credentials: memoryCredentials(state, clock),
  connectSessions: memoryConnectSessions(state, clock),
  posts: memoryPosts(state, clock),
  postingQueues: memoryPostingQueues(state, clock),
  deliveries: memoryDeliveries(state, clock),
  media: memoryMedia(state, clock),
  refunds: memoryRefunds(state, clock),
  approvals: memoryApprovals(state, clock),
  pauses: memoryPauses(state, clock),
  orderWatches: memoryOrderWatches(state, clock),
  storeWebhooks: memoryStoreWebhooks(state, clock),
  snapshots: memorySnapshots(state, clock),
  externalPosts: memoryExternalPosts(state, clock),
  platformApps: memoryPlatformApps(state),
  dataKeys: memoryDataKeys(state, clock),
  auditTrail: memoryAuditTrail(state, clock),
  events: memoryEvents(state),
  webhooks: memoryWebhooks(state, clock),
  notifications: memoryNotifications(state, clock),
  dismissals: memoryDismissals(state, clock),
});

const memoryTx = (state: MemoryState, clock: Clock, ids: Ids): Tx => ({
  ...memoryRepositories(state, clock),
  ledger: memoryLedger(state),
  idempotency: memoryIdempotency(state, clock),
  events: {
    ...memoryEvents(state),
    append: async (event) => {
      const id = ids.next('evt');
      state.events.set(id, {
        ...event,
        data: { ...event.data },
        id,
        createdAt: clock.now(),
        sequence: state.events.size + 1,
      });
    },
  },
  audit: memoryAudit(state, clock, ids),
  jobs: {
    enqueue: async (job, when) => {
      state.jobs.set(String(state.jobs.size), { job, startAfter: when?.startAfter });
    },
  },
});

/** In the order of insertion: transactions are serialized. */
const memoryEvents = (state: MemoryState): EventFeed => ({
  list: async (workspaceId, { reach, types }, { after, limit }) => {
    const all = [...state.events.values()];
    const from = Number(after ?? 0);
    const matching = all.flatMap((event, index) =>
      index >= from &&
      event.workspaceId === workspaceId &&
      (!types || types.includes(event.type)) &&
      (reach === null || (event.profileId !== null && reach.includes(event.profileId)))
        ? [{ event, next: index + 1 }]
        : [],
    );
    const page = matching.slice(0, limit);
    const hasMore = matching.length > limit;
    return {
      items: page.map(({ event }) => event),
      position: String(hasMore ? (page.at(-1)?.next ?? from) : all.length),
      hasMore,
      isPending: false,
    };
  },
  findEnd: async () => String(state.events.size),
  findRange: async (workspaceId, since, until) => {
    const inside = [...state.events.values()]
      .filter(
        (event) => event.workspaceId === workspaceId && event.createdAt >= since && event.createdAt < until,
      )
      .map(({ sequence }) => sequence);
    return inside.length === 0
      ? null
      : { after: String(Math.min(...inside) - 1), through: String(Math.max(...inside)) };
  },
});

/** Repositories whose every call uses the state that is committed at that moment. */
const onCommitted = (current: () => Repositories): Repositories =>
  new Proxy(current(), {
    get: (_, name: keyof Repositories) =>
      new Proxy(current()[name], { get: (__, method) => Reflect.get(current()[name], method) as unknown }),
  });
