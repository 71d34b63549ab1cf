import { expect, test } from '@jest/globals';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { connecting } from './connecting.js';
import { startWorld } from './testing/world.js';

test('a shop with and without www. is the same, so that its orders have one ledger', async () => {
  const world = await startWorld();
  const real = testSession(world);
  for (const host of ['shop.example', 'www.shop.example', 'www.shop.example/']) {
    // The request goes to the simulator, under the typed host name.
    const found = await connecting.identify({ ...real, baseUrl: `https://${host}` });
    expect(found).toMatchObject({ ok: true, value: [{ id: 'shop.example' }] });
  }
  await world.close();
});
