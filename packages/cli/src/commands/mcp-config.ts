import { configFor, mcpClientConfig } from '@switchboard/bootstrap';
import { Argument, type Command } from 'commander';
import { toAction } from '../to-action.js';
import { mcpClients } from '../mcp-clients.js';
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
