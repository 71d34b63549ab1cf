import type { AnalyticsNote } from './analytics-note.js';
import {
  findMissingAnalyticsPermissions,
  findUnconnected,
  type Coverage,
  type CoverageFacts,
  type MissingReason,
} from './coverage.js';
import { isAccountMetric } from './metrics.js';

/**
 * Explains the platforms and accounts without metrics, as far as reading them did not: nothing is connected, a
 * login or a permission is missing, or the posts are younger than the platform's delay.
 */
export function explainMissing(
  coverage: Coverage,
  facts: CoverageFacts & { readonly isStore: boolean },
): readonly AnalyticsNote[] {
  const { connections, manifests, notes, isStore } = facts;
  if (connections.length === 0 && facts.requestedPlatforms.length === 0) return [nothingConnected(isStore)];
  const nameOf = (id: string) => manifests.find(id)?.name ?? id;
  const platformsMissing = (reason: MissingReason) => [
    ...new Set(
      Object.values(coverage).flatMap(({ reasons }) =>
        Object.keys(reasons).filter((id) => reasons[id] === reason),
      ),
    ),
  ];
  const accountsMissing = (reason: MissingReason) => {
    const ids = platformsMissing(reason);
    return connections.filter(
      ({ id, platform }) => ids.includes(platform) && !notes.some(({ connectionId }) => connectionId === id),
    );
  };
  return [
    ...findUnconnected(facts).map((platform): AnalyticsNote => ({
      connectionId: null,
      platform,
      code: 'analytics.not_connected',
      message: `No ${nameOf(platform)} account is connected: connect one to read its metrics.`,
    })),
    ...accountsMissing('needs_reauth')
      .filter(({ status }) => status === 'needs_reauth')
      .map(({ id: connectionId }): AnalyticsNote => ({
        connectionId,
        code: 'connection.needs_reauth',
        message: 'The account must be reconnected. The last known metrics are used.',
      })),
    ...accountsMissing('permission_missing').flatMap((connection): AnalyticsNote[] => {
      const manifest = manifests.find(connection.platform);
      const permissions = manifest ? findMissingAnalyticsPermissions(manifest, connection) : [];
      if (permissions.length === 0) return [];
      const message = `The account lacks the permission to read metrics (${permissions.join(', ')}): its owner must reconnect it and grant it.`;
      return [{ connectionId: connection.id, code: 'platform.permission_missing', message }];
    }),
    ...platformsMissing('too_new').map((platform): AnalyticsNote => ({
      connectionId: null,
      platform,
      code: 'analytics.too_new',
      message: `${nameOf(platform)} reports some metrics only hours after publishing: all posts of the range are newer.`,
    })),
    ...explainDays(coverage, facts),
  ];
}

/** Counts of published posts do not include what accounts gained by day. */
function explainDays(
  coverage: Coverage,
  { basis, connections, manifests }: CoverageFacts,
): readonly AnalyticsNote[] {
  if (basis === 'activity') return [];
  return [...new Set(connections.map(({ platform }) => platform))].flatMap((platform): AnalyticsNote[] => {
    const manifest = manifests.find(platform);
    const names = (manifest?.metrics ?? [])
      .filter(({ metric, subject }) => subject === 'account' && !isAccountMetric(metric) && coverage[metric])
      .map(({ metric }) => metric);
    if (!manifest || names.length === 0) return [];
    const message = `${manifest.name} reports ${names.join(' and ')} of its accounts by day: request basis=activity for them.`;
    return [{ connectionId: null, platform, code: 'analytics.by_day', message }];
  });
}

const nothingConnected = (isStore: boolean): AnalyticsNote => ({
  connectionId: null,
  ...(isStore
    ? { code: 'analytics.not_provided', message: 'The connection is a store, and stores have no metrics.' }
    : {
        code: 'analytics.not_connected',
        message: 'No social account is connected: connect one to read its metrics.',
      }),
});
