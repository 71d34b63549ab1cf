import type { Abilities, Platform } from '@switchboard/domain/ports';

/** Abilities are derived from the implementation, so that nothing is declared twice. */
export function abilitiesOf({ publishing, analytics, orders, refunds }: Platform): Abilities {
  return {
    publishing: publishing
      ? { readBack: publishing.find !== undefined, unpublish: publishing.remove !== undefined }
      : null,
    analytics: analytics
      ? {
          posts: true,
          account: analytics.ofAccount !== undefined,
          elsewhere: analytics.listPosts !== undefined,
        }
      : null,
    orders: orders ? { filters: orders.filters } : null,
    refunds: refunds ? { readBack: refunds.find !== undefined } : null,
  };
}
