import { matchingEventTypes, type Event } from '../../src/events/event.js';
import type { WebhookId } from '../../src/ids.js';
import type {
  Clock,
  ReplayRange,
  SealedWebhookSecret,
  WebhookLane,
  Webhooks,
} from '../../src/ports/index.js';
import type { Webhook, WebhookDelivery } from '../../src/webhooks/webhook.js';
import type { MemoryState } from './memory-state.js';
import { findOwned, ofWorkspace, omitUndefined, pageOf } from './rows.js';

export interface StoredWebhook extends Webhook {
  readonly secrets: readonly (SealedWebhookSecret & { readonly untilMs: number })[];
  readonly position: string;
  readonly replay: ReplayRange | null;
  readonly fence: number;
  readonly leaseUntilMs: number;
  readonly throttledUntilMs: number;
}

const toWebhook = ({
  secrets: _secrets,
  position: _position,
  replay: _replay,
  fence: _fence,
  leaseUntilMs: _lease,
  throttledUntilMs: _throttled,
  ...webhook
}: StoredWebhook): Webhook => webhook;

export function memoryWebhooks(state: MemoryState, clock: Clock): Webhooks {
  const nowMs = () => clock.now().getTime();
  const newestFirst = (rows: readonly StoredWebhook[]) => rows.map(toWebhook).reverse();
  const deliveriesOf = (id: WebhookId) =>
    [...state.webhookDeliveries.values()].filter(({ webhookId }) => webhookId === id);
  const isDue = ({ status, nextAttemptAt }: WebhookDelivery, ms: number) =>
    status === 'pending' && nextAttemptAt !== null && nextAttemptAt.getTime() <= ms;
  const laneRow = ({ webhook, fence }: WebhookLane) => {
    const row = state.webhooks.get(webhook.id);
    return row?.fence === fence ? row : null;
  };
  const hasWork = (row: StoredWebhook, ms: number) =>
    row.disabledReason === null &&
    row.leaseUntilMs <= ms &&
    row.throttledUntilMs <= ms &&
    (row.replay !== null ||
      deliveriesOf(row.id).some((one) => isDue(one, ms)) ||
      [...state.events.values()].some(
        ({ workspaceId, sequence }) => workspaceId === row.workspaceId && sequence > Number(row.position),
      ));
  const change = (row: StoredWebhook, changes: Partial<StoredWebhook>) => {
    state.webhooks.set(row.id, { ...row, ...changes });
  };
  const find: Webhooks['find'] = async (workspaceId, id) => {
    const row = findOwned(state.webhooks, workspaceId, id);
    return row && toWebhook(row);
  };

  return {
    find,
    list: async (workspaceId, page) => pageOf(newestFirst(ofWorkspace(state.webhooks, workspaceId)), page),
    listStopped: async (workspaceId, page) =>
      pageOf(
        newestFirst(
          ofWorkspace(state.webhooks, workspaceId).filter(
            ({ disabledReason }) => disabledReason !== null && disabledReason !== 'requested',
          ),
        ),
        page,
      ),
    count: async (workspaceId) => ofWorkspace(state.webhooks, workspaceId).length,
    insert: async (webhook, secret, position) => {
      state.webhooks.set(webhook.id, {
        ...webhook,
        secrets: [{ ...secret, untilMs: Infinity }],
        position,
        replay: null,
        fence: 0,
        leaseUntilMs: 0,
        throttledUntilMs: 0,
      });
    },
    update: async (workspaceId, id, { disabledReason, ...changes }, { version, position } = {}) => {
      const row = findOwned(state.webhooks, workspaceId, id);
      if (!row || (version !== undefined && version !== row.version)) return null;
      const endsLane = (changes.url ?? row.url) !== row.url || (disabledReason ?? null) !== null;
      change(row, {
        ...omitUndefined(changes),
        ...(disabledReason !== undefined && {
          disabledReason,
          disabledAt: disabledReason === null ? null : (row.disabledAt ?? clock.now()),
        }),
        ...(position !== undefined && { position, failingSince: null, throttledUntilMs: 0 }),
        ...(endsLane && { fence: row.fence + 1, leaseUntilMs: 0 }),
        version: row.version + 1,
      });
      return find(workspaceId, id);
    },
    findSecrets: async (workspaceId, id) => {
      const ms = nowMs();
      return (findOwned(state.webhooks, workspaceId, id)?.secrets ?? [])
        .filter(({ untilMs }) => untilMs > ms)
        .map(({ generation, sealed }) => ({ generation, sealed }));
    },
    replaceSecret: async (workspaceId, id, secret, overlapSeconds) => {
      const row = findOwned(state.webhooks, workspaceId, id);
      if (!row) return null;
      const replaced = row.secrets
        .slice(0, 1)
        .map((one) => ({ ...one, untilMs: nowMs() + overlapSeconds * 1000 }));
      change(row, { secrets: [{ ...secret, untilMs: Infinity }, ...replaced], version: row.version + 1 });
      return find(workspaceId, id);
    },
    delete: async (workspaceId, id, version) => {
      const row = findOwned(state.webhooks, workspaceId, id);
      if (!row || (version !== undefined && version !== row.version)) return false;
      for (const delivery of deliveriesOf(id)) state.webhookDeliveries.delete(delivery.id);
      return state.webhooks.delete(id);
    },

    findDelivery: async (workspaceId, webhookId, id) => {
      const row = findOwned(state.webhookDeliveries, workspaceId, id);
      return row?.webhookId === webhookId ? row : null;
    },
    listDeliveries: async (workspaceId, webhookId, { statuses }, page) =>
      pageOf(
        ofWorkspace(state.webhookDeliveries, workspaceId)
          .filter((row) => row.webhookId === webhookId && (!statuses || statuses.includes(row.status)))
          .reverse(),
        page,
      ),
    restartDelivery: async (workspaceId, id) => {
      const row = findOwned(state.webhookDeliveries, workspaceId, id);
      if (!row) return null;
      const now = clock.now();
      const restarted = {
        ...row,
        status: 'pending',
        attempts: 0,
        nextAttemptAt: now,
        startedAt: now,
        settledAt: null,
      } as const;
      state.webhookDeliveries.set(id, restarted);
      return restarted;
    },
    startReplay: async (workspaceId, id, range) => {
      const row = findOwned(state.webhooks, workspaceId, id);
      if (!row || row.replay !== null) return false;
      change(row, { replay: range });
      return true;
    },
    failPending: async (workspaceId, id) => {
      const row = findOwned(state.webhooks, workspaceId, id);
      if (row) change(row, { replay: null });
      for (const one of deliveriesOf(id).filter(({ status }) => status === 'pending'))
        state.webhookDeliveries.set(one.id, {
          ...one,
          status: 'failed',
          nextAttemptAt: null,
          settledAt: clock.now(),
          lastAttempt: one.lastAttempt ?? notSent(clock.now()),
        });
    },

    claimLanes: async (room, leaseSeconds) => {
      const ms = nowMs();
      const ready = [...state.webhooks.values()]
        .filter((row) => hasWork(row, ms))
        .sort((one, other) => one.leaseUntilMs - other.leaseUntilMs);
      const isFailing = ({ failingSince }: StoredWebhook) => failingSince !== null;
      return [
        ...ready.filter((row) => !isFailing(row)),
        ...ready.filter(isFailing).slice(0, Math.max(0, room.failing)),
      ]
        .slice(0, room.lanes)
        .map((row) => {
          const fence = row.fence + 1;
          change(row, { fence, leaseUntilMs: ms + leaseSeconds * 1000 });
          return { webhook: toWebhook(row), fence };
        });
    },
    extendLane: async (lane, leaseSeconds) => {
      const row = laneRow(lane);
      if (row) change(row, { leaseUntilMs: nowMs() + leaseSeconds * 1000 });
      return row !== null;
    },
    releaseLane: async (lane) => {
      const row = laneRow(lane);
      if (row) change(row, { leaseUntilMs: nowMs() });
    },
    lockLane: async (lane) => {
      const row = laneRow(lane);
      return (
        row && {
          webhook: toWebhook(row),
          position: row.position,
          replay: row.replay,
          pending: deliveriesOf(row.id).filter(({ status }) => status === 'pending').length,
        }
      );
    },
    addDeliveries: async (lane, events, progress) => {
      const row = laneRow(lane);
      if (!row) throw new Error('the lane is lost');
      const known = new Map(deliveriesOf(row.id).map((one) => [one.eventId, one]));
      for (const { id, type, deliveryId } of events) {
        const existing = known.get(id);
        if (existing && progress.kind === 'position') continue;
        const added: WebhookDelivery = {
          id: existing?.id ?? deliveryId,
          workspaceId: row.workspaceId,
          webhookId: row.id,
          eventId: id,
          eventType: type,
          status: 'pending',
          attempts: 0,
          nextAttemptAt: clock.now(),
          lastAttempt: existing?.lastAttempt ?? null,
          createdAt: existing?.createdAt ?? clock.now(),
          startedAt: clock.now(),
          settledAt: null,
        };
        state.webhookDeliveries.set(added.id, added);
      }
      change(
        row,
        progress.kind === 'position' ? { position: progress.position } : { replay: progress.remaining },
      );
    },
    listDueDeliveries: async ({ webhook }, limit) => {
      const ms = nowMs();
      return deliveriesOf(webhook.id)
        .filter((one) => isDue(one, ms))
        .sort((one, other) => Number(one.nextAttemptAt) - Number(other.nextAttemptAt))
        .slice(0, limit)
        .map(({ id, eventId, attempts }) => ({
          id,
          eventId,
          attempts,
          event: state.events.get(eventId) ?? null,
          traceparent: null,
        }));
    },
    settleDeliveries: async (lane, attempts, throttleSeconds) => {
      const row = laneRow(lane);
      if (!row) return null;
      const now = clock.now();
      for (const { id, attempt, outcome } of attempts) {
        const one = state.webhookDeliveries.get(id);
        if (!one) continue;
        state.webhookDeliveries.set(id, {
          ...one,
          status: outcome.kind === 'retry' ? 'pending' : outcome.kind,
          attempts: one.attempts + 1,
          nextAttemptAt: outcome.kind === 'retry' ? clock.after(outcome.inSeconds * 1000) : null,
          lastAttempt: attempt,
          settledAt: outcome.kind === 'retry' ? null : now,
        });
      }
      const hasSuccess = attempts.some(({ outcome }) => outcome.kind === 'delivered');
      const hasFailure = attempts.some(
        ({ attempt }) => attempt.error !== null && attempt.error !== 'event_expired',
      );
      const failingSince = hasSuccess ? null : hasFailure ? (row.failingSince ?? now) : row.failingSince;
      change(row, {
        failingSince,
        ...(throttleSeconds > 0 && { throttledUntilMs: now.getTime() + throttleSeconds * 1000 }),
      });
      return { failingSince };
    },
    findOldestUndelivered: async () => {
      const started = [...state.webhookDeliveries.values()].flatMap(({ status, startedAt }) =>
        status === 'pending' ? [startedAt] : [],
      );
      const unread = [...state.webhooks.values()].flatMap((row) =>
        [...state.events.values()].flatMap((event) => (isSelected(row, event) ? [event.createdAt] : [])),
      );
      const [oldest = null] = [...started, ...unread].sort((one, other) => Number(one) - Number(other));
      return oldest;
    },
  };
}

/** An event after the position of an enabled endpoint that its filters select. */
const isSelected = (
  { workspaceId, disabledReason, position, events, profileIds }: StoredWebhook,
  event: Event,
): boolean =>
  disabledReason === null &&
  event.workspaceId === workspaceId &&
  event.sequence > Number(position) &&
  matchingEventTypes(events).includes(event.type) &&
  (profileIds === null || (event.profileId !== null && profileIds.includes(event.profileId)));

const notSent = (at: Date) =>
  ({ at, status: null, latencyMs: 0, responseHead: null, error: 'disabled' }) as const;
