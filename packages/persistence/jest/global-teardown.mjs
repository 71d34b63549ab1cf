import { tearDownTestServer } from '@switchboard/persistence/testing';

export default async function globalTeardown() {
  await tearDownTestServer(globalThis.__switchboardLease);
}
