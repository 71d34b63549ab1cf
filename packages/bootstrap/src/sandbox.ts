import path from 'node:path';
import { SANDBOX_CLIENT } from '@switchboard/sandbox/client';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';

export interface RunningSandbox {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  close(): Promise<void>;
}

/**
 * The sandbox platforms of this data directory. The first process on the machine serves them; the others use
 * the running ones.
 */
export async function runSandbox(config: Config, isServer: boolean): Promise<RunningSandbox | null> {
  if (!config.sandbox) return null;
  const app = { clientId: SANDBOX_CLIENT.id, clientSecret: SANDBOX_CLIENT.secret };
  const url = `http://127.0.0.1:${config.sandboxPort}`;
  const remoteSandbox: RunningSandbox = { url, ...app, close: () => Promise.resolve() };
  if (!isServer) return remoteSandbox;
  const { startSandbox } = await import('@switchboard/sandbox');
  try {
    const sandbox = await startSandbox({
      port: config.sandboxPort,
      installation: config.dataDir,
      stateFile: path.join(config.dataDir, 'sandbox.jsonl'),
      ledgerFile: path.join(config.dataDir, 'sandbox-ledger.jsonl'),
      redirectUris: ['sandbox_social', 'sandbox_store'].map(
        (id) => `${config.publicUrl}/oauth/callback/${id}`,
      ),
    });
    return { url: sandbox.url, ...app, close: () => sandbox.close() };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new ConfigurationError(
      `Port ${config.sandboxPort} is in use, but the sandbox needs it. Set SWITCHBOARD_SANDBOX_PORT, or SWITCHBOARD_SANDBOX=0.`,
    );
  }
}
