import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Secret } from '@switchboard/platform-kit';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { startWorld } from './testing/world.js';
import { webhooks } from './webhooks.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const target = { url: 'https://switchboard.example/store-webhooks/1', externalIds: [], secret: null };

test('an event of another seller of the application is acknowledged and ignored', async () => {
  const registered = await webhooks.register(testSession(world), target);
  const secret = registered.ok ? registered.value.secret : undefined;
  const read = (merchant?: string) =>
    world.store.webhooks.deliveriesOf('ORDER0007', merchant).map(({ url, headers, body }) =>
      webhooks.read({
        url,
        headers,
        body: new TextEncoder().encode(body),
        secret: secret ?? new Secret(''),
        account: world.account,
      }),
    );
  expect(read()).toMatchObject([{ kind: 'order', externalId: 'ORDER0007' }]);
  expect(read('ANOTHER_SELLER')).toEqual([{ kind: 'nothing' }]);
});

test('the token of a seller cannot register webhooks, for which its connect method is not used', async () => {
  const refused = await webhooks.register(testSession({ ...world, token: world.weakToken }), target);
  expect(refused).toMatchObject({ ok: false, failure: { code: 'platform.permission_missing' } });
  expect(webhooks.connectMethods).toEqual(['access_token']);
});
