import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config.js';
import { root } from './env.js';
import { keyFiles } from './first-start.js';

const DEFAULT_PUBLIC_URL = 'http://127.0.0.1:3000';
const DEFAULT_SANDBOX_PORT = 3002;

export interface McpClientConfig {
  readonly mcpServers: {
    readonly switchboard: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };
  };
}

/** What an MCP client needs to start this installation over stdio: absolute paths, since clients choose their own working directory. */
export async function mcpClientConfig(config: Config): Promise<McpClientConfig> {
  // What differs from the default must be said there too: the client starts with an environment of its own.
  const elsewhere = {
    ...(config.publicUrl !== DEFAULT_PUBLIC_URL && { SWITCHBOARD_PUBLIC_URL: config.publicUrl }),
    ...(config.sandboxPort !== DEFAULT_SANDBOX_PORT && {
      SWITCHBOARD_SANDBOX_PORT: String(config.sandboxPort),
    }),
  };
  const key = await readFile(keyFiles(config).agent, 'utf8').catch(() => '<your key>');
  return {
    mcpServers: {
      switchboard: {
        command: path.join(root, 'node_modules/.bin/node'),
        args: [path.join(root, 'apps/mcp/bin/switchboard-mcp.mjs')],
        env: { SWITCHBOARD_API_KEY: key.trim(), SWITCHBOARD_DATA_DIR: config.dataDir, ...elsewhere },
      },
    },
  };
}
