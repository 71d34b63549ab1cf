import { setUpTestServer } from '@switchboard/persistence/testing';
import { startPooler } from './start-pooler.mjs';

export default async function globalSetup() {
  globalThis.__switchboardLease = await setUpTestServer();
  globalThis.__switchboardPooler = await startPooler(process.env.SWITCHBOARD_TEST_URL);
  process.env.SWITCHBOARD_TEST_POOLER = globalThis.__switchboardPooler.host;
}
