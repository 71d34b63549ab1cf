import { configFor, mcpClientConfig, type McpAddress, type McpProgram } from '@switchboard/bootstrap';
import { Argument, type Command } from 'commander';
import { toAction } from '../to-action.js';
import { commandOutput, usageError } from '../command-result.js';
import { printNotice } from '../print-notice.js';

export const mcpConfig = (mcp: Command) =>
  mcp
    .command('config')
    .description(
      'print the MCP client configuration that starts this installation over stdio with the agent key file',
    )
    .addArgument(new Argument('[client]').choices(Object.keys(mcpClients)).default('claude-desktop'))
    .option('--http', 'connect to the running server over HTTP instead')
    .action(toAction(print));

async function print(name: string, { http = false }: { readonly http?: boolean }) {
  const client = mcpClients[name];
  if (!client) throw new Error(`unknown client ${name}`);
  if (http && !client.overHttp) return usageError(`${client.name} supports stdio only: omit --http.`);
  const { stdio, http: address, keyFile, withheld } = await mcpClientConfig(configFor('cli'));
  const config = http && client.overHttp ? client.overHttp(address) : client.overStdio(stdio);
  printNotice(`For ${client.file}:`);
  if (keyFile !== null) {
    printNotice(
      http
        ? `Replace <your key> with an API key. The agent key is in ${keyFile}.`
        : `It reads the agent key from ${keyFile}. To use another key, change the file name.`,
    );
  } else {
    printNotice(
      'Insert an API key. This command creates one that may refund up to 50 euros per refund and 500 per day:',
    );
    printNotice(
      '  switchboard keys create --name agent --preset agent --scopes refunds:write --refund-limit EUR:50/500',
    );
  }
  if (!http && withheld.length > 0) {
    printNotice(
      `Also set the values that are not printed: ${withheld.join(', ')}. Over HTTP (--http) the key is sufficient.`,
    );
  }
  if (client.shared && (http || keyFile === null))
    printNotice('The file contains a key: keep it out of version control.');
  return commandOutput(config, JSON.stringify(config, null, 2));
}

interface McpClient {
  readonly name: string;
  /** The file from which it reads its configuration. */
  readonly file: string;
  /** The file is part of a project, and may be shared. */
  readonly shared: boolean;
  readonly overStdio: (program: McpProgram) => object;
  /** Absent when the file cannot configure a server by its URL with a header. */
  readonly overHttp?: (address: McpAddress) => object;
}

const mcpServers = (switchboard: object) => ({ mcpServers: { switchboard } });
const servers = (switchboard: object) => ({ servers: { switchboard } });

/** The configuration format of each client, as documented on 2026-11-22. */
const mcpClients: Readonly<Record<string, McpClient>> = {
  // modelcontextprotocol.io/docs/develop/connect-local-servers. The file starts programs; remote servers are
  // "connectors", which use OAuth: support.claude.com/en/articles/11503834.
  'claude-desktop': {
    name: 'Claude Desktop',
    file: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    shared: false,
    overStdio: mcpServers,
  },
  // code.claude.com/docs/en/mcp
  'claude-code': {
    name: 'Claude Code',
    file: '.mcp.json of your project',
    shared: true,
    overStdio: (program) => mcpServers({ type: 'stdio', ...program }),
    overHttp: (address) => mcpServers({ type: 'http', ...address }),
  },
  // cursor.com/docs/mcp
  cursor: {
    name: 'Cursor',
    file: '~/.cursor/mcp.json, or .cursor/mcp.json of your project',
    shared: true,
    overStdio: mcpServers,
    overHttp: mcpServers,
  },
  // code.visualstudio.com/docs/copilot/reference/mcp-configuration
  vscode: {
    name: 'VS Code',
    file: '.vscode/mcp.json of your project',
    shared: true,
    overStdio: (program) => servers({ type: 'stdio', ...program }),
    overHttp: (address) => servers({ type: 'http', ...address }),
  },
};
