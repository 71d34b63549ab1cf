import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config.js';
import { root } from './env.js';
import { keyFiles } from './first-start.js';

/** What an MCP client needs to start this installation over stdio: absolute paths, since clients choose their own working directory. */
export async function mcpClientConfig(config: Pick<Config, 'dataDir'>): Promise<object> {
  const key = await readFile(keyFiles(config).agent, 'utf8').catch(() => '<an API key>');
  return {
    mcpServers: {
      switchboard: {
        command: path.join(root, 'node_modules/.bin/node'),
        args: [path.join(root, 'apps/mcp/bin/switchboard-mcp.mjs')],
        env: { SWITCHBOARD_API_KEY: key.trim(), SWITCHBOARD_DATA_DIR: config.dataDir },
      },
    },
  };
}
