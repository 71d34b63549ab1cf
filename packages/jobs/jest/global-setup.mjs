import { openQueue } from '@switchboard/jobs';
import { setUpTestServer } from '@switchboard/persistence/testing';

/** For tests that start whole services: in each new database pg-boss would create its schema first. */
export default async function globalSetup() {
  globalThis.__switchboardLease = await setUpTestServer(async (connectionString) => {
    const onError = (error) => {
      throw error;
    };
    const queue = await openQueue({ connectionString, worker: false, onError });
    await queue.stop(0);
  });
}
