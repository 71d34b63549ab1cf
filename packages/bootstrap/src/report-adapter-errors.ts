import type { OrderWebhooks, Orders, Platform, Publishing, Refunding } from '@switchboard/domain/ports';

/**
 * Wraps a platform to report what its adapter throws, since callers turn that into a failure without the
 * reason; and to report accounts that cannot be read, because a page shows no details.
 */
export function reportAdapterErrors(
  platform: Platform,
  onThrow: (error: unknown) => void,
  onUnreadable: (reason: string) => void = () => undefined,
): Platform {
  const reporting =
    <Args extends readonly unknown[], Answer>(method: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      try {
        return await method(...args);
      } catch (error) {
        onThrow(error);
        throw error;
      }
    };
  const webhooks = (own: OrderWebhooks): OrderWebhooks => ({
    ...own,
    register: reporting(own.register.bind(own)),
    remove: reporting(own.remove.bind(own)),
  });
  const orders = (own: Orders): Orders => ({
    ...own,
    list: reporting(own.list.bind(own)),
    get: reporting(own.get.bind(own)),
    ...(own.webhooks && { webhooks: webhooks(own.webhooks) }),
    ...(own.listShipments && { listShipments: reporting(own.listShipments.bind(own)) }),
  });
  const publishing = (own: Publishing): Publishing => ({
    ...own,
    ...(own.exists && { exists: reporting(own.exists.bind(own)) }),
  });
  const refunds = (own: Refunding): Refunding => ({
    ...own,
    refund: reporting(own.refund.bind(own)),
    ...(own.find && { find: reporting(own.find.bind(own)) }),
    ...(own.calculate && { calculate: reporting(own.calculate.bind(own)) }),
  });
  const { connecting } = platform;
  return {
    ...platform,
    connecting: {
      async identify(session) {
        const found = await connecting.identify(session);
        if (!found.ok && found.failure.code === 'platform.invalid_response')
          onUnreadable(found.failure.message);
        return found;
      },
    },
    ...(platform.publishing && { publishing: publishing(platform.publishing) }),
    ...(platform.orders && { orders: orders(platform.orders) }),
    ...(platform.refunds && { refunds: refunds(platform.refunds) }),
  };
}
