import {
  ACCOUNT_EVERY_HOURS,
  EXTERNAL_POSTS_DAYS,
  externalPostSchedule,
  isStale,
  LIVE_POSTS_MAX,
  STALE_POSTS_MAX,
  nextPostReadAt,
} from '../../src/analytics/snapshot-schedule.js';
import type { ConnectionId, DeliveryId, ExternalPostId, WorkspaceId } from '../../src/ids.js';
import type { Clock, Snapshot, Snapshots } from '../../src/ports/index.js';
import { countedExternalPosts } from './memory-external-posts.js';
import type { MemoryState } from './memory-state.js';
import { ofWorkspace as rowsOfWorkspace } from './rows.js';
import { sumGroupsInMemory, sumHoursInMemory, sumPostsInMemory } from './sum-posts.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const AHEAD_MS = 600_000;

interface Reading {
  readonly subject: string;
  readonly workspaceId: WorkspaceId;
  readonly connectionId: ConnectionId;
  readonly deliveryId: DeliveryId | null;
  readonly externalPostId: ExternalPostId | null;
  readonly publishedAt: Date | null;
  readonly dueAt: Date | null;
}

const isOfAccount = ({ deliveryId, externalPostId }: Snapshot): boolean =>
  deliveryId === null && externalPostId === undefined;

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
        externalPostId: null,
        publishedAt: null,
        dueAt: dueAt(id, createdAt),
      })),
    ...[...state.deliveries.values()].flatMap(({ id, workspaceId, connectionId, status, publishedAt }) => {
      if (status !== 'published' || !publishedAt || state.nextReads.get(id) === null) return [];
      const first = new Date(publishedAt.getTime() + HOUR_MS);
      return [
        {
          subject: id,
          workspaceId,
          connectionId,
          deliveryId: id,
          externalPostId: null,
          publishedAt,
          dueAt: dueAt(id, first),
        },
      ];
    }),
    ...[...state.externalPosts.values()].flatMap(({ id, workspaceId, connectionId, publishedAt }) => {
      const next = state.nextReads.get(id) ?? null;
      const reading = { subject: id, workspaceId, connectionId, deliveryId: null, externalPostId: id };
      return next ? [{ ...reading, publishedAt, dueAt: next }] : [];
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
        ofWorkspace(workspaceId).filter((row) => isOfAccount(row) && row.connectionId === id),
      ),
    listOfAccounts: async (workspaceId, { connectionIds, from, to }) => {
      const rows = ofWorkspace(workspaceId)
        .filter((row) => isOfAccount(row) && row.takenAt < to)
        .sort((a, b) => a.takenAt.getTime() - b.takenAt.getTime());
      return new Map(
        connectionIds.map((id) => {
          const own = rows.filter(({ connectionId }) => connectionId === id);
          const before = own.findLast(({ takenAt }) => takenAt < from);
          return [id, [...(before ? [before] : []), ...own.filter(({ takenAt }) => takenAt >= from)]];
        }),
      );
    },
    listStale: async (workspaceId, { connectionIds, from, to, source }, now) => {
      const takenAt = (id: DeliveryId | ExternalPostId) =>
        newest(
          ofWorkspace(workspaceId).filter(
            ({ deliveryId, externalPostId }) => deliveryId === id || externalPostId === id,
          ),
        )?.takenAt ?? null;
      const external = countedExternalPosts(state, workspaceId, { connectionIds, source });
      return connectionIds.flatMap((connectionId) => {
        const published = rowsOfWorkspace(state.deliveries, workspaceId).filter(
          (row) => row.connectionId === connectionId && row.externalId !== null && row.status === 'published',
        );
        const elsewhere = external.filter((post) => post.connectionId === connectionId);
        const stale = [...published, ...elsewhere]
          .flatMap(({ id, publishedAt }) =>
            publishedAt && publishedAt >= from && publishedAt < to
              ? [{ id, publishedAt, takenAt: takenAt(id) }]
              : [],
          )
          .filter((row) => isStale(row.publishedAt, row.takenAt, now))
          .sort((a, b) => (a.takenAt?.getTime() ?? 0) - (b.takenAt?.getTime() ?? 0));
        if (stale.length === 0) return [];
        const read = stale.slice(0, LIVE_POSTS_MAX).map(({ id }) => id);
        return [
          {
            connectionId,
            deliveryIds: read.flatMap((id) => published.find((one) => one.id === id)?.id ?? []),
            externalPostIds: read.flatMap((id) => elsewhere.find((one) => one.id === id)?.id ?? []),
            count: Math.min(stale.length, STALE_POSTS_MAX),
          },
        ];
      });
    },
    sumPosts: async (workspaceId, query) => sumPostsInMemory(state, workspaceId, query),
    sumGroupsByInterval: async (workspaceId, query) => sumGroupsInMemory(state, workspaceId, query),
    sumPostsByHour: async (workspaceId, query) => sumHoursInMemory(state, workspaceId, query),
    findFirstTime: async (workspaceId, ids) =>
      ofWorkspace(workspaceId)
        .filter(({ connectionId }) => ids.includes(connectionId))
        .reduce<Date | null>((first, { takenAt }) => (first && first < takenAt ? first : takenAt), null),
    insert: async (snapshots) => {
      for (const row of snapshots) {
        const hour = row.takenAt.toISOString().slice(0, 13);
        const name = `${row.deliveryId ?? row.externalPostId ?? row.connectionId} ${hour}`;
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
        const requestedAt = state.postListings.get(id)?.requestedAt.getTime() ?? 0;
        const isRequested = requestedAt > clock.now().getTime() - EXTERNAL_POSTS_DAYS * DAY_MS;
        for (const { subject, publishedAt, externalPostId } of claimed) {
          const nextOfPost = (at: Date) =>
            externalPostId === null
              ? nextPostReadAt(at, clock.now())
              : isRequested
                ? nextPostReadAt(at, clock.now(), externalPostSchedule)
                : null;
          const next = publishedAt ? nextOfPost(publishedAt) : clock.after(ACCOUNT_EVERY_HOURS * HOUR_MS);
          state.nextReads.set(subject, state.connections.has(id) ? next : null);
        }
        const [first] = claimed;
        return first
          ? [
              {
                workspaceId: first.workspaceId,
                connectionId: id,
                deliveryIds: claimed.flatMap(({ deliveryId }) => deliveryId ?? []),
                externalPostIds: claimed.flatMap(({ externalPostId }) => externalPostId ?? []),
                includesAccount: claimed.some(
                  ({ deliveryId, externalPostId }) => deliveryId === null && externalPostId === null,
                ),
              },
            ]
          : [];
      });
    },
  };
}
