import { startService } from '@switchboard/bootstrap';
import { createServer as createProbe } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
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

/** Below the range of ephemeral ports for outgoing connections. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + ((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 12_000);
    const probe = createProbe();
    const taken = await new Promise<AddressInfo | null>((resolve) => {
      probe.once('error', () => resolve(null));
      probe.listen(port, '127.0.0.1', () => resolve(probe.address() as AddressInfo));
    });
    if (!taken) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}
