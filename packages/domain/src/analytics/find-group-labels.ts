import type { Call } from '../call.js';
import { parseId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import type { AnalyticsGroup, GroupBy } from './groups.js';

const LABEL_MAX = 40;

/** How a person recognizes each group, by its key. */
export async function findGroupLabels(
  { manifests, connections, profiles }: Pick<Ports, 'manifests' | 'connections' | 'profiles'>,
  { workspaceId }: Call,
  groupBy: GroupBy,
  groups: readonly AnalyticsGroup[],
): Promise<ReadonlyMap<string, string>> {
  const nameOf = (platform: string) => manifests.find(platform)?.name ?? platform;
  const label = async ({ key, connectionId, post }: AnalyticsGroup): Promise<string> => {
    if (groupBy === 'platform') return nameOf(key);
    if (groupBy === 'connection' && connectionId) {
      const found = await connections.find(workspaceId, connectionId);
      if (!found) return key;
      const { username, name, id } = found.account;
      return `${username === null ? (name ?? id) : `@${username}`} (${nameOf(found.platform)})`;
    }
    const profileId = parseId('prf', key);
    if (groupBy === 'profile' && profileId) return (await profiles.find(workspaceId, profileId))?.name ?? key;
    if (groupBy === 'post') return post?.text.replace(/\s+/g, ' ').trim() || key;
    return key === '' ? 'None' : key;
  };
  const labels = await Promise.all(
    groups.map(async (group) => [group.key, shorten(await label(group))] as const),
  );
  return new Map(labels);
}

/** Whole characters, as far as a reader sees them. */
function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= LABEL_MAX
    ? text
    : `${characters
        .slice(0, LABEL_MAX - 1)
        .join('')
        .trimEnd()}…`;
}
