import type { DeliveryStatus } from '../../src/deliveries/delivery.js';
import type { Clock, Pauses } from '../../src/ports/index.js';
import { toDelivery, updateDeliveries, waitingStatuses } from './memory-deliveries.js';
import { holdOf, INSTALLATION, stateOf, TIMELINE } from './memory-holds.js';
import type { MemoryState } from './memory-state.js';
import { oldestFirst } from './rows.js';

export const memoryPauses = (state: MemoryState, clock: Clock): Pauses => ({
  findInstallation: async () => stateOf(state),
  listHolds: async (ids) =>
    new Map(
      ids.flatMap((id) => {
        const scope = holdOf(state, id);
        return scope ? [[id, scope]] : [];
      }),
    ),
  countPaused: async () => ({
    installation: stateOf(state).pause ? 1 : 0,
    profile: [...state.profiles.values()].filter(({ pause }) => pause).length,
    connection: [...state.connections.values()].filter(({ pause }) => pause).length,
  }),
  // Transactions are serialized here.
  lock: async () => undefined,
  updateInstallation: async (changes) => {
    state.installation.set(INSTALLATION, { ...stateOf(state), ...changes });
  },
  doubtOverdue: async (limit) => {
    const now = clock.now();
    const rows = oldestFirst([...state.deliveries.values()]).filter(
      ({ status, nextAttemptAt, scheduledAt, leaseUntilMs }) =>
        waitingStatuses.includes(status) &&
        leaseUntilMs <= now.getTime() &&
        (status === 'blocked' ? scheduledAt : (nextAttemptAt ?? scheduledAt)) <= now,
    );
    const changes = { status: 'unknown', nextAttemptAt: null, error: null } as const;
    updateDeliveries(state, clock, rows.slice(0, limit), changes);
    return rows.slice(0, limit).map((row) => toDelivery({ ...row, ...changes }));
  },
  doubtRefunds: async () => {
    const rows = [...state.refunds.values()].filter(
      ({ status, sentAt }) => sentAt === null && (status === 'pending' || status === 'awaiting_approval'),
    );
    for (const row of rows) state.refunds.set(row.id, { ...row, sentAt: clock.now() });
    return rows.length;
  },
  findTimelines: async () => ({ recorded: stateOf(state).timeline, current: TIMELINE }),
  lockTimeline: async () => true,
  doubtWaiting: async () => {
    const now = clock.now();
    const deliveries = [...state.deliveries.values()].filter(({ status }) =>
      doubtableStatuses.includes(status),
    );
    for (const row of deliveries) {
      const epoch = row.status === 'sending' ? row.epoch : row.epoch + SKIPPED_EPOCHS;
      state.deliveries.set(row.id, { ...row, restoredAt: now, epoch });
    }
    const refunds = [...state.refunds.values()].filter(({ status }) =>
      ['pending', 'unknown', 'awaiting_approval'].includes(status),
    );
    for (const row of refunds) {
      const isSending = row.sentAt !== null && row.leaseUntilMs > now.getTime();
      state.refunds.set(row.id, {
        ...row,
        sentAt: now,
        nextAttemptAt: null,
        firstSentAt: row.status === 'awaiting_approval' ? null : (row.firstSentAt ?? now),
        epoch: isSending ? row.epoch : row.epoch + SKIPPED_EPOCHS,
      });
    }
    return { deliveries: deliveries.length, refunds: refunds.length };
  },
});

/** More than the claims of the lost history. */
const SKIPPED_EPOCHS = 1000;

const doubtableStatuses: readonly DeliveryStatus[] = [
  'awaiting_approval',
  'pending',
  'retrying',
  'blocked',
  'sending',
  'unknown',
];
