import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './config.js';
import { ownInstallationVariables } from './env.js';
import { root } from './environment.js';
import { keyFiles } from './initialize-installation.js';

const DEFAULT_PUBLIC_URL = 'http://127.0.0.1:3000';
const NO_KEY = '<your key>';

/** The program that an MCP client starts, with absolute paths: clients choose their own working directory. */
export interface McpProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The address of the running server for an MCP client, and the header for authentication. */
export interface McpAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The configuration with which an MCP client reaches this installation. It contains no key, and names the
 * agent key file if there is one.
 */
export async function mcpClientConfig(config: Config) {
  const keyFile = await agentKeyFile(config);
  const { shared, withheld } = ownInstallationVariables();
  const node = process.platform === 'win32' ? 'node.exe' : 'node';
  return {
    /** The agent key file, which `stdio` names; null: a key has to be inserted. `http` always needs one. */
    keyFile,
    /** Variables of `stdio` that contain secrets of the installation and are not printed. */
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

/**
 * The configured key file, or that of the first start. Production creates none: an existing file belongs to
 * another installation.
 */
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
