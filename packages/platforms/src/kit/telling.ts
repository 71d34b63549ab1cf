import type { Orders, Platform, Refunding } from '@switchboard/domain';

/**
 * The same platform, which reports what its adapter throws, since callers make a failure of that which does not say why; and
 * accounts that cannot be read, of which a page names no details.
 */
export function telling(
  platform: Platform,
  onThrow: (error: unknown) => void,
  onUnreadable: (reason: string) => void = () => undefined,
): Platform {
  const told =
    <Args extends readonly unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      try {
        return await ask(...args);
      } catch (error) {
        onThrow(error);
        throw error;
      }
    };
  const orders = (own: Orders): Orders => ({
    ...own,
    list: told(own.list.bind(own)),
    get: told(own.get.bind(own)),
  });
  const refunds = (own: Refunding): Refunding => ({
    ...own,
    refund: told(own.refund.bind(own)),
    ...(own.find && { find: told(own.find.bind(own)) }),
    ...(own.calculate && { calculate: told(own.calculate.bind(own)) }),
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
    ...(platform.orders && { orders: orders(platform.orders) }),
    ...(platform.refunds && { refunds: refunds(platform.refunds) }),
  };
}
