import { tearDownTestServer } from '@switchboard/persistence/testing';

export default async function globalTeardown() {
  await globalThis.__switchboardPooler.stop();
  await tearDownTestServer(globalThis.__switchboardLease);
}
