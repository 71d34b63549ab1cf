import {
  startInstallation,
  type Installation,
  type ServerKind,
  type ServerStarter,
  type SwitchboardOptions,
} from './installation.js';
import { startProgram, type Program } from './program.js';
import { programs } from './programs.js';

const FILES: Readonly<Record<ServerKind, string>> = { rest: programs.rest, mcp: programs.mcpHttp };
const READY: Readonly<Record<ServerKind, RegExp>> = {
  rest: /REST is ready at \S+|The worker is ready/,
  mcp: /MCP is ready at/,
};

/** Its servers are separate processes, as in production. */
export type SwitchboardProcesses = Installation<Program>;

export const startServerProcess: ServerStarter<Program> = async (kind, env) => {
  const program = startProgram(FILES[kind], env);
  await program.waitForOutput(READY[kind]).catch(async (error: unknown) => {
    await program.stop();
    throw error;
  });
  return program;
};

export const startSwitchboard = (options: SwitchboardOptions): Promise<SwitchboardProcesses> =>
  startInstallation(options, startServerProcess, startServerProcess);
