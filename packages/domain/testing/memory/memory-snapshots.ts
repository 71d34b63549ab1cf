import {
  ACCOUNT_EVERY_HOURS,
  isStale,
  LIVE_POSTS_MAX,
  nextPostReadAt,
} from '../../src/analytics/snapshot-schedule.js';
import type { ConnectionId, DeliveryId, WorkspaceId } from '../../src/ids.js';
import type { Clock, Snapshot, Snapshots } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';
import { ofWorkspace as rowsOfWorkspace } from './rows.js';
import { sumHoursInMemory, sumPostsInMemory } from './sum-posts.js';

const HOUR_MS = 3_600_000;
const AHEAD_MS = 600_000;

interface Reading {
  readonly subject: string;
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly deliveryId: DeliveryId | null;
  readonly publishedAt: Date | null;
  readonly dueAt: Date | null;
}

const isDue = (at: Date) => (one: Reading) => one.dueAt !== null && one.dueAt <= at;

export function memorySnapshots(state: MemoryState, clock: Clock): Snapshots {
  const dueAt = (subject: string, first: Date) => state.nextReads.get(subject) ?? first;
  const listReadings = (): Reading[] => [
    ...[...state.connections.values()]
      .filter(({ kind }) => kind === 'social')
      .map(({ id, workspaceId, createdAt }) => ({
        subject: id,
        workspaceId,
        connectionId: id,
        deliveryId: null,
        publishedAt: null,
        dueAt: dueAt(id, createdAt),
      })),
    ...[...state.deliveries.values()].flatMap(({ id, workspaceId, connectionId, status, publishedAt }) => {
      if (status !== 'published' || !publishedAt || state.nextReads.get(id) === null) return [];
      const first = new Date(publishedAt.getTime() + HOUR_MS);
      return [
        { subject: id, workspaceId, connectionId, deliveryId: id, publishedAt, dueAt: dueAt(id, first) },
      ];
    }),
  ];
  const ofWorkspace = (workspaceId: WorkspaceId) =>
    [...state.snapshots.values()].filter((row) => row.workspaceId === workspaceId);
  const newest = (rows: readonly Snapshot[]) =>
    rows.reduce<Snapshot | undefined>(
      (best, row) => (best && best.takenAt > row.takenAt ? best : row),
      undefined,
    );
  const latest = <Id>(ids: readonly Id[], rowsOf: (id: Id) => readonly Snapshot[]) =>
    new Map(
      ids.flatMap((id): [Id, Snapshot][] => {
        const row = newest(rowsOf(id));
        return row ? [[id, row]] : [];
      }),
    );

  return {
    listLatest: async (workspaceId, ids) =>
      latest(ids, (id) => ofWorkspace(workspaceId).filter(({ deliveryId }) => deliveryId === id)),
    listLatestOfAccounts: async (workspaceId, ids) =>
      latest(ids, (id) =>
        ofWorkspace(workspaceId).filter((row) => row.deliveryId === null && row.connectionId === id),
      ),
    listOfAccounts: async (workspaceId, { connectionIds, from, to }) => {
      const rows = ofWorkspace(workspaceId)
        .filter(({ deliveryId, takenAt }) => deliveryId === null && takenAt < to)
        .sort((a, b) => a.takenAt.getTime() - b.takenAt.getTime());
      return new Map(
        connectionIds.map((id) => {
          const own = rows.filter(({ connectionId }) => connectionId === id);
          const before = own.findLast(({ takenAt }) => takenAt < from);
          return [id, [...(before ? [before] : []), ...own.filter(({ takenAt }) => takenAt >= from)]];
        }),
      );
    },
    listStale: async (workspaceId, { connectionIds, from, to }, now) => {
      const takenAt = (id: DeliveryId) =>
        newest(ofWorkspace(workspaceId).filter(({ deliveryId }) => deliveryId === id))?.takenAt ?? null;
      return connectionIds.flatMap((connectionId) => {
        const stale = rowsOfWorkspace(state.deliveries, workspaceId)
          .filter((row) => row.connectionId === connectionId && row.externalId !== null)
          .flatMap(({ id, status, publishedAt }) =>
            status === 'published' && publishedAt && publishedAt >= from && publishedAt < to
              ? [{ id, publishedAt, takenAt: takenAt(id) }]
              : [],
          )
          .filter((row) => isStale(row.publishedAt, row.takenAt, now))
          .sort((a, b) => (a.takenAt?.getTime() ?? 0) - (b.takenAt?.getTime() ?? 0));
        const deliveryIds = stale.slice(0, LIVE_POSTS_MAX).map(({ id }) => id);
        return stale.length > 0 ? [{ connectionId, deliveryIds, count: stale.length }] : [];
      });
    },
    sumPosts: async (workspaceId, query) => sumPostsInMemory(state, workspaceId, query),
    sumPostsByHour: async (workspaceId, query) => sumHoursInMemory(state, workspaceId, query),
    findFirstTime: async (workspaceId, ids) =>
      ofWorkspace(workspaceId)
        .filter(({ connectionId }) => ids.includes(connectionId))
        .reduce<Date | null>((first, { takenAt }) => (first && first < takenAt ? first : takenAt), null),
    insert: async (snapshots) => {
      for (const row of snapshots) {
        const hour = row.takenAt.toISOString().slice(0, 13);
        const name = `${row.deliveryId ?? row.connectionId} ${hour}`;
        const kept = state.snapshots.get(name);
        if (!kept || kept.takenAt <= row.takenAt) state.snapshots.set(name, row);
      }
    },
    claimDue: async (limit) => {
      const readings = listReadings();
      const due = readings
        .filter(isDue(clock.now()))
        .sort((a, b) => (a.dueAt?.getTime() ?? 0) - (b.dueAt?.getTime() ?? 0));
      return [...new Set(due.map(({ connectionId }) => connectionId))].slice(0, limit).flatMap((id) => {
        const claimed = readings
          .filter((one) => one.connectionId === id && isDue(clock.after(AHEAD_MS))(one))
          .slice(0, LIVE_POSTS_MAX);
        for (const { subject, publishedAt } of claimed) {
          const next = publishedAt
            ? nextPostReadAt(publishedAt, clock.now())
            : clock.after(ACCOUNT_EVERY_HOURS * HOUR_MS);
          state.nextReads.set(subject, state.connections.has(id) ? next : null);
        }
        const [first] = claimed;
        return first
          ? [
              {
                workspaceId: first.workspaceId,
                connectionId: id,
                deliveryIds: claimed.flatMap(({ deliveryId }) => deliveryId ?? []),
                includesAccount: claimed.some(({ deliveryId }) => deliveryId === null),
              },
            ]
          : [];
      });
    },
  };
}
