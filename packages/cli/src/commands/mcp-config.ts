import { configFor, mcpClientConfig, type McpClientConfig } from '@switchboard/bootstrap';
import { Argument, type Command } from 'commander';
import { act } from '../act.js';
import { answer } from '../outcome.js';
import { tell } from '../tell.js';

type Shape = (config: McpClientConfig) => object;

const asServers: Shape = (config) => config;
const asTypedServers: Shape = ({ mcpServers: { switchboard } }) => ({
  mcpServers: { switchboard: { type: 'stdio', ...switchboard } },
});

/** Each client's own format, and the file that it reads it from. */
const clients: Readonly<Record<string, { readonly file: string; readonly shape: Shape }>> = {
  'claude-desktop': {
    file: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    shape: asServers,
  },
  'claude-code': { file: '.mcp.json of your project', shape: asTypedServers },
  cursor: { file: '.cursor/mcp.json of your project, or ~/.cursor/mcp.json', shape: asServers },
  vscode: {
    file: '.vscode/mcp.json of your project',
    shape: ({ mcpServers: { switchboard } }) => ({
      servers: { switchboard: { type: 'stdio', ...switchboard } },
    }),
  },
};

export const mcpConfig = (mcp: Command) =>
  mcp
    .command('config')
    .description(
      'print what an MCP client needs to start this installation over stdio, with the key for agents',
    )
    .addArgument(new Argument('[client]').choices(Object.keys(clients)).default('claude-desktop'))
    .action(
      act(async (name: string) => {
        const client = clients[name];
        if (!client) throw new Error(`there is no client ${name}`);
        const config = client.shape(await mcpClientConfig(configFor('cli')));
        tell(`For ${client.file}:`);
        return answer(config, JSON.stringify(config, null, 2));
      }),
    );
