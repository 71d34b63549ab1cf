import type { Abilities, Platform } from '@switchboard/domain/ports';

/** Abilities are derived from the implementation, so that nothing is declared twice. */
export function abilitiesOf({ manifest, publishing, analytics, orders, refunds }: Platform): Abilities {
  return {
    publishing: publishing
      ? {
          readBack: publishing.find !== undefined,
          unpublish: publishing.remove !== undefined,
          edit: publishing.edit !== undefined,
        }
      : null,
    analytics: analytics
      ? {
          posts: analytics.ofPosts !== undefined,
          account: analytics.ofAccount !== undefined || analytics.ofDays !== undefined,
          elsewhere: analytics.listPosts !== undefined,
        }
      : null,
    orders: orders
      ? {
          filters: orders.filters,
          webhooks: orders.webhooks
            ? (orders.webhooks.connectMethods ?? manifest.connect.map(({ id }) => id))
            : [],
        }
      : null,
    refunds: refunds ? { readBack: refunds.find !== undefined } : null,
  };
}
