import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config.js';
import { ownInstallationVariables } from './env.js';
import { root } from './environment.js';
import { keyFiles } from './initialize-installation.js';

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
  /** The file of the key for agents, which `stdio` names; null: a key has to be put in. `http` always needs that. */
  readonly keyFile: string | null;
  /** Variables of `stdio` that hold secrets of the installation, which are not told. */
  readonly withheld: readonly string[];
}

/** What an MCP client needs to reach this installation. It holds no key, and names the file of the key for agents where there is one. */
export async function mcpClientConfig(config: Config): Promise<McpClientConfig> {
  const keyFile = await agentKeyFile(config);
  const { shared, withheld } = ownInstallationVariables();
  const node = process.platform === 'win32' ? 'node.exe' : 'node';
  return {
    keyFile,
    withheld,
    stdio: {
      command: path.join(root, 'node_modules/node/bin', node),
      args: [path.join(root, 'apps/mcp/bin/switchboard-mcp.mjs')],
      env: {
        ...(keyFile === null ? { SWITCHBOARD_API_KEY: NO_KEY } : { SWITCHBOARD_API_KEY_FILE: keyFile }),
        ...shared,
        ...Object.fromEntries(withheld.map((name) => [name, `<${name} of this installation>`])),
        SWITCHBOARD_DATA_DIR: config.dataDir,
        ...(config.publicUrl !== DEFAULT_PUBLIC_URL && { SWITCHBOARD_PUBLIC_URL: config.publicUrl }),
      },
    },
    http: {
      url: `${config.mcpPublicUrl}/mcp`,
      headers: { Authorization: `Bearer ${NO_KEY}` },
    },
  };
}

/** The configured one, or that of the first start. Production creates none: a file that lies there is of another installation. */
async function agentKeyFile(config: Config): Promise<string | null> {
  if (config.apiKeyFile !== null) return config.apiKeyFile;
  if (config.mode === 'production') return null;
  const { agent } = keyFiles(config);
  const isThere = await access(agent).then(
    () => true,
    () => false,
  );
  return isThere ? agent : null;
}
