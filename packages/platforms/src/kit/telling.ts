import type { Orders, Platform, Refunding } from '@switchboard/domain';

/** The same store, which tells of what its adapter throws: whoever asks it makes a failure of that, which says nothing of why. */
export function telling(platform: Platform, onThrow: (error: unknown) => void): Platform {
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
  return {
    ...platform,
    ...(platform.orders && { orders: orders(platform.orders) }),
    ...(platform.refunds && { refunds: refunds(platform.refunds) }),
  };
}
