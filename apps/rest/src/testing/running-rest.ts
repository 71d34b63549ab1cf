import { startService } from '@switchboard/bootstrap';
import { freePort } from '@switchboard/persistence/testing';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { serveRest } from '../serve-rest.js';

/** The whole service on its own database, including its sandbox, served over HTTP as `main` serves it. */
export async function startRest(databaseUrl: string, env: Readonly<Record<string, string>> = {}) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'switchboard-rest-'));
  const [port, sandboxPort] = await Promise.all([freePort(), freePort()]);
  const service = await startService({
    app: 'rest',
    logTo: 'stderr',
    env: {
      NODE_ENV: 'test',
      LOG_LEVEL: 'fatal',
      SWITCHBOARD_RATE_LIMIT: '1000000',
      SWITCHBOARD_UNAUTHENTICATED_RATE_LIMIT: '1000000',
      DATABASE_URL: databaseUrl,
      SWITCHBOARD_DATA_DIR: dataDir,
      PORT: String(port),
      SWITCHBOARD_SANDBOX_PORT: String(sandboxPort),
      ...env,
    },
  });
  const server = await serveRest(service);
  return {
    service,
    url: server.url ?? '',
    /** A key of the first workspace with every scope. */
    key: (await readFile(path.join(dataDir, 'api-key'), 'utf8')).trim(),
    async close() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type RunningRest = Awaited<ReturnType<typeof startRest>>;
