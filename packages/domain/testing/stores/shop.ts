import { createHash } from 'node:crypto';
import {
  noPolicy,
  ok,
  refuse,
  type ApiKey,
  type Call,
  type Connection,
  type Cursors,
  type Event,
  type Job,
  type Policy,
  type Ports,
  type Profile,
  type Session,
} from '../../src/index.js';
import { builders } from '../builders.js';
import { countedIds } from '../counted-ids.js';
import { memoryDesk } from './memory-desk.js';
import type { MemoryStore } from './memory-store.js';
import { virtualClock } from './virtual-clock.js';

/** A workspace with one profile, to which stores in memory are connected: all that the use cases of orders and refunds need. */
export function shop(clock = virtualClock()) {
  const ids = countedIds(clock);
  const build = builders({ clock, ids });
  const workspace = build.workspace();
  const profile = build.profile(workspace);
  const stores = new Map<string, MemoryStore>();
  const connections: Connection[] = [];
  const profiles: Profile[] = [profile];
  const events: Event[] = [];
  const jobs: { readonly job: Job; readonly startAfter: Date | undefined }[] = [];
  const desk = memoryDesk(clock, ids, events, jobs);
  const closed = new Set<string>();

  const findConnections: Pick<Ports['connections'], 'find' | 'listAll'> = {
    find: async (workspaceId, id) =>
      connections.find((item) => item.id === id && item.workspaceId === workspaceId) ?? null,
    listAll: async (workspaceId, { reach, ids: named, profileId, platforms, kind }) =>
      connections.filter(
        (item) =>
          item.workspaceId === workspaceId &&
          (reach === null || reach.includes(item.profileId)) &&
          (named === undefined || named.includes(item.id)) &&
          (profileId === undefined || item.profileId === profileId) &&
          (platforms === undefined || platforms.includes(item.platform)) &&
          (kind === undefined || item.kind === kind),
      ),
  };
  const findProfiles: Pick<Ports['profiles'], 'find'> = {
    find: async (workspaceId, id) =>
      profiles.find((item) => item.id === id && item.workspaceId === workspaceId) ?? null,
  };

  const ports = {
    clock,
    ids,
    ...desk,
    tokens: { digestHex: (text: string) => createHash('sha256').update(text).digest('hex') },
    cursors: plainCursors,
    connections: findConnections,
    profiles: findProfiles,
    platforms: { find: (id: string) => stores.get(id)?.platform ?? null, list: () => [] },
    manifests: { find: (id: string) => stores.get(id)?.platform.manifest ?? null },
    sessions: {
      open: async (connection: Connection, _purpose: string, signal: AbortSignal) =>
        closed.has(connection.id)
          ? refuse('connection.needs_reauth', 'Connect it again.')
          : ok({ account: connection.account, signal } as Session),
    },
  } as unknown as Ports;

  return {
    ports,
    clock,
    build,
    workspace,
    profile,
    profiles,
    events,
    jobs,
    desk,
    /** Connections whose grant has ended. */
    closed,
    connect(store: MemoryStore, over: Partial<Connection> = {}): Connection {
      const platform = store.platform.manifest.id;
      const connection = build.connection(profile, { platform, kind: 'commerce', ...over });
      stores.set(platform, store);
      connections.push(connection);
      return connection;
    },
    disconnect: (connection: Connection) => void connections.splice(connections.indexOf(connection), 1),
    key: (policy: Partial<Policy> = {}) => build.apiKey(workspace, { policy: { ...noPolicy, ...policy } }),
    call: (key: ApiKey, over: Partial<Call> = {}): Call => ({
      requestId: 'req_test',
      surface: 'rest',
      workspaceId: workspace.id,
      actor: { kind: 'key', key },
      signal: new AbortController().signal,
      waitSeconds: 20,
      ...over,
    }),
    withKey: (key: ApiKey, idempotencyKey: string, fingerprint = 'the same') => ({
      idempotency: { key: idempotencyKey, fingerprint, lineage: key.lineage },
    }),
  };
}

export type Shop = ReturnType<typeof shop>;

/** Bound to list and filter like real ones, and readable: a test may look into them. */
const plainCursors: Cursors = {
  write: (scope, position) => JSON.stringify([scope, position]),
  read: (scope, cursor) => {
    const [written, position] = JSON.parse(cursor) as [unknown, string];
    if (JSON.stringify(written) === JSON.stringify(scope)) return ok(position);
    return refuse('request.invalid_cursor', 'The cursor is not valid here.');
  },
};
