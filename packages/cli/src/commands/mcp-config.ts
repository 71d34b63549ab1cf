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
      'print what an MCP client needs to start this installation over stdio, with the file of the key for agents',
    )
    .addArgument(new Argument('[client]').choices(Object.keys(mcpClients)).default('claude-desktop'))
    .option('--http', 'to call the running server over HTTP instead')
    .action(toAction(print));

async function print(name: string, { http = false }: { readonly http?: boolean }) {
  const client = mcpClients[name];
  if (!client) throw new Error(`there is no client ${name}`);
  if (http && !client.overHttp) return usageError(`${client.name} starts programs only: leave out --http.`);
  const { stdio, http: address, keyFile, withheld } = await mcpClientConfig(configFor('cli'));
  const config = http && client.overHttp ? client.overHttp(address) : client.overStdio(stdio);
  printNotice(`For ${client.file}:`);
  if (keyFile !== null) {
    printNotice(
      http
        ? `Put a key in the place of <your key>. The key for agents is in ${keyFile}.`
        : `It reads the key for agents from ${keyFile}. For another key, name its file.`,
    );
  } else {
    printNotice('Put a key in. This makes one that may refund up to 50 euros at once and 500 a day:');
    printNotice(
      '  switchboard keys create --name agent --preset agent --scopes refunds:write --refund-limit EUR:50/500',
    );
  }
  if (!http && withheld.length > 0) {
    printNotice(
      `Put in what is not printed, too: ${withheld.join(', ')}. Over HTTP (--http) the key is enough.`,
    );
  }
  if (client.shared && (http || keyFile === null))
    printNotice('The file holds a key: keep it out of version control.');
  return commandOutput(config, JSON.stringify(config, null, 2));
}
