import { unrestrictedPolicy, type KeyPolicy } from '../../src/access/policy.js';
import { noMetrics, type Metrics } from '../../src/analytics/metrics.js';
import type { Call } from '../../src/call.js';
import type { Connection } from '../../src/connections/connection.js';
import type { Delivery } from '../../src/deliveries/delivery.js';
import type { Ports, Session, TokenUse } from '../../src/ports/index.js';
import type { DeliveryId } from '../../src/ids.js';
import type { Metadata, Profile } from '../../src/profiles/profile.js';
import { ok } from '../../src/result.js';
import { builders } from '../builders.js';
import { plaintextCursors } from '../environment/plaintext-cursors.js';
import { memoryPorts } from '../memory/memory-ports.js';
import { virtualClock } from '../stores/virtual-clock.js';
import type { MemoryAnalytics } from './memory-analytics.js';

/** A workspace whose profiles publish on in-memory feeds: everything that the analytics use cases need. */
export async function createAnalyticsFixture(start?: Date) {
  const memory = memoryPorts(virtualClock(start));
  const { clock, ids, repositories, transactions } = memory;
  const build = builders(memory);
  const workspace = build.workspace({ defaultTimezone: 'UTC' });
  const profile = build.profile(workspace);
  await repositories.workspaces.insert(workspace);
  await repositories.profiles.insert(profile);
  const platforms = new Map<string, MemoryAnalytics>();
  const opened: { readonly connection: string; readonly purpose: string }[] = [];
  const key = build.apiKey(workspace);

  const ports = {
    ...repositories,
    transactions,
    clock,
    ids,
    cursors: plaintextCursors,
    platforms: { find: (id: string) => platforms.get(id)?.platform ?? null, list: () => [] },
    manifests: {
      find: (id: string) => platforms.get(id)?.platform.manifest ?? null,
      list: () => [...platforms.values()].map(({ platform }) => platform.manifest),
    },
    sessions: {
      open: async (connection: Connection, { purpose }: TokenUse, signal: AbortSignal) => {
        opened.push({ connection: connection.id, purpose });
        return ok({ account: connection.account, signal } as Session);
      },
    },
  } as unknown as Ports;

  return {
    ports,
    clock,
    build,
    workspace,
    profile,
    opened,
    events: () => memory.events(),
    async addProfile(over: Partial<Profile> = {}) {
      const created = build.profile(workspace, over);
      await repositories.profiles.insert(created);
      return created;
    },
    async connect(feed: MemoryAnalytics, over: Partial<Connection> = {}, to: Profile = profile) {
      const platform = feed.platform.manifest.id;
      const connection = build.connection(to, { platform, ...over });
      platforms.set(platform, feed);
      await repositories.connections.insert(connection);
      return connection;
    },
    /** A published post on these accounts; its external id is its text. */
    async publish(
      connections: readonly Connection[],
      at: string,
      text: string,
      over: Partial<Delivery> = {},
      metadata: Metadata = {},
    ) {
      const each = {
        status: 'published',
        publishedAt: new Date(at),
        parts: [build.part({ text })],
        externalId: text,
        ...over,
      } as const;
      const of = connections[0]?.profileId ?? profile.id;
      const post = build.post({ id: of, workspaceId: workspace.id }, connections, { text, metadata }, each);
      await repositories.posts.insert(post);
      return post;
    },
    /** Metrics of a delivery, or of an account (`id` null), that were read some time ago. */
    async storeMetrics(
      { id, connectionId }: Pick<Delivery, 'connectionId'> & { readonly id: DeliveryId | null },
      takenAt: Date,
      metrics: Partial<Metrics>,
    ) {
      await repositories.snapshots.insert([
        {
          workspaceId: workspace.id,
          connectionId,
          deliveryId: id,
          takenAt,
          metrics: { ...noMetrics, ...metrics },
        },
      ]);
    },
    call: (policy: Partial<KeyPolicy> = {}, over: Partial<Call> = {}): Call =>
      build.call({ ...key, policy: { ...unrestrictedPolicy, ...policy } }, over),
  };
}

export type AnalyticsFixture = Awaited<ReturnType<typeof createAnalyticsFixture>>;
