import { startService, type Service } from '@switchboard/bootstrap';
import { createHttpApp, createToolFilter, listen } from '@switchboard/mcp';
import { serveRest } from '@switchboard/rest';
import {
  startInstallation,
  type Env,
  type Installation,
  type Server,
  type ServerKind,
  type Switchboard,
  type SwitchboardOptions,
} from './installation.js';
import type { Program } from './program.js';
import { startServerProcess } from './start-switchboard.js';

/**
 * Switchboard with its servers in the process of the test, wired as the programs wire them. A process takes longer
 * to start than most tests take with a server whose code is loaded already; tests of processes, of what they print
 * and of their crashes use `startSwitchboard`.
 */
export const serveSwitchboard = (options: SwitchboardOptions): Promise<Switchboard> =>
  startInstallation(options, serve, serve);

/** The same with replicas as processes, which a test can stop and kill. */
export type SwitchboardWithReplicas = Installation<Server, Program>;

export const serveWithReplicas = (options: SwitchboardOptions): Promise<SwitchboardWithReplicas> =>
  startInstallation(options, serve, startServerProcess);

async function serve(kind: ServerKind, env: Env): Promise<Server> {
  const lines: string[] = [];
  const service = await startService({
    app: kind === 'rest' ? 'rest' : 'mcp-http',
    logTo: { write: (line) => void lines.push(line) },
    env,
  });
  try {
    const stop = kind === 'rest' ? await serveRestOf(service) : await serveMcpOf(service);
    return { output: () => lines.join(''), stop };
  } catch (error) {
    await service.close();
    throw error;
  }
}

async function serveRestOf(service: Service): Promise<() => Promise<void>> {
  const server = await serveRest(service);
  if (server.url !== null) await service.announce('rest');
  return server.stop;
}

async function serveMcpOf(service: Service): Promise<() => Promise<void>> {
  const toolFilter = createToolFilter(service.config, { toolsets: null, readOnly: false });
  if (!toolFilter.ok) throw new Error(toolFilter.failure.message);
  const server = await listen(createHttpApp(service, toolFilter.value), service.config);
  await service.announce('mcp-http');
  return async () => {
    await server.drain();
    await service.close();
  };
}
