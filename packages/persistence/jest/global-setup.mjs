import { setUpTestServer } from '@switchboard/persistence/testing';

export default async function globalSetup() {
  globalThis.__switchboardLease = await setUpTestServer();
}
