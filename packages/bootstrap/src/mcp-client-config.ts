import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config.js';
import { ownInstallationVariables, root } from './env.js';
import { keyFiles } from './first-start.js';

const DEFAULT_PUBLIC_URL = 'http://127.0.0.1:3000';
const NO_KEY = '<your key>';

/** What an MCP client starts, with absolute paths: clients choose their own working directory. */
export interface McpProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Where an MCP client finds the server that is running, and what it sends to be let in. */
export interface McpAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface McpClientConfig {
  readonly stdio: McpProgram;
  readonly http: McpAddress;
  /** False: whoever uses it puts a key in. */
  readonly hasKey: boolean;
  /** Variables of `stdio` that hold secrets of the installation, which are not told. */
  readonly withheld: readonly string[];
}

/** What an MCP client needs to reach this installation, with the key for agents where there is one. */
export async function mcpClientConfig(config: Config): Promise<McpClientConfig> {
  const key = await agentKey(config);
  const { told, withheld } = ownInstallationVariables();
  const node = process.platform === 'win32' ? 'node.exe' : 'node';
  return {
    hasKey: key !== null,
    withheld,
    stdio: {
      command: path.join(root, 'node_modules/node/bin', node),
      args: [path.join(root, 'apps/mcp/bin/switchboard-mcp.mjs')],
      env: {
        SWITCHBOARD_API_KEY: key ?? NO_KEY,
        ...told,
        ...Object.fromEntries(withheld.map((name) => [name, `<${name} of this installation>`])),
        SWITCHBOARD_DATA_DIR: config.dataDir,
        ...(config.publicUrl !== DEFAULT_PUBLIC_URL && { SWITCHBOARD_PUBLIC_URL: config.publicUrl }),
      },
    },
    http: {
      url: `${config.mcpPublicUrl}/mcp`,
      headers: { Authorization: `Bearer ${key ?? NO_KEY}` },
    },
  };
}

/** Of the first start. Production makes none: a file that lies there is of another installation. */
async function agentKey(config: Config): Promise<string | null> {
  if (config.mode === 'production') return null;
  const text = await readFile(keyFiles(config).agent, 'utf8').catch(() => '');
  return text.trim() || null;
}
