import { expect, test } from '@jest/globals';
import { freePort, reservePort } from './free-port.js';

test('a port is reserved from the start, not only once a server listens on it', async () => {
  const port = await freePort();
  expect(await reservePort(port)).toBe(false);
});
