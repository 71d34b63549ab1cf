import type { Connection } from '../connections/connection.js';
import type { Ports } from '../ports/index.js';
import { accountKeyOf } from './accounts.js';
import type { AnalyticsNote } from './analytics-note.js';
import { dateIn } from './date-range.js';
import { isIncomplete } from './list-account-posts.js';

/** Explains which posts made elsewhere a report does not contain: as far as they are not listed. */
export async function explainListings(
  ports: Pick<Ports, 'externalPosts' | 'manifests'>,
  connections: readonly Connection[],
  { since, timezone }: { readonly since: Date; readonly timezone: string },
): Promise<readonly AnalyticsNote[]> {
  const [first] = connections;
  if (!first) return [];
  const ids = connections.map(({ id }) => id);
  const listings = await ports.externalPosts.listListings(first.workspaceId, ids);
  const unlisted = new Set(
    connections.map(({ platform }) => platform).filter((id) => ports.manifests.find(id)?.postList === null),
  );
  return [
    ...[...unlisted].map((platform): AnalyticsNote => ({
      connectionId: null,
      platform,
      code: 'analytics.elsewhere_not_provided',
      message: `${ports.manifests.find(platform)?.name ?? platform} lists no posts that were made elsewhere: only posts made here are included.`,
    })),
    ...[...Map.groupBy(connections, accountKeyOf).values()].flatMap((same): AnalyticsNote[] => {
      const [listing] = same.flatMap(({ id }) => listings.get(id) ?? []);
      const facts = ports.manifests.find(same[0]?.platform ?? '')?.postList;
      if (!listing?.knownSince || !facts || !isIncomplete(listing, since)) return [];
      const before = `Posts made elsewhere before ${dateIn(listing.knownSince, timezone)} are not included`;
      const message = listing.limited
        ? `${before}: the platform lists only the newest ${facts.postsMax} posts of an account.`
        : `${before} yet: one request lists at most ${facts.pages} page(s) of ${facts.postsPerPage} posts. Repeat it to list older posts.`;
      return [{ connectionId: listing.connectionId, code: 'analytics.posts_not_listed', message }];
    }),
  ];
}
