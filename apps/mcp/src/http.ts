import '@switchboard/bootstrap/disable-debug-output';
import { ConfigurationError, startService, type Service } from '@switchboard/bootstrap';
import { exitWithError } from './exit-with-error.js';
import { createHttpApp } from './http/http-app.js';
import { listen } from './http/listen.js';
import { onShutdown } from './on-shutdown.js';
import { readFlags } from './flags.js';
import { createToolFilter, type ToolFilter } from './tools/tool-filter.js';

/** Ends when ready: the code compiled until then is cached for the next start (`scripts/one-file.mjs`). */
export const introduced = serve();

async function serve(): Promise<void> {
  const { service, toolFilter } = await startMcpService();
  const { config } = service;
  const server = await listen(createHttpApp(service, toolFilter), config).catch(async (error: Error) => {
    await service.close();
    return exitWithError(`cannot listen on ${config.host}:${config.mcpPort} (MCP_PORT): ${error.message}`);
  });

  onShutdown(service.databaseStopped, async () => {
    await server.drain(service.leave());
    await service.close();
    process.exit(0);
  });

  await service.announce('mcp-http');
  // Signal handlers are installed before readiness is announced.
  process.stdout.write(`MCP is ready at ${config.mcpPublicUrl}/mcp\n`);
}

/** Starts the service and reads the tool filter from the environment and the command line. */
async function startMcpService(): Promise<{
  readonly service: Service;
  readonly toolFilter: ToolFilter;
}> {
  const flags = readFlags();
  const service = await startService({ app: 'mcp-http', logTo: 'stdout' }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) exitWithError(error.message);
    throw error;
  });
  const toolFilter = createToolFilter(service.config, flags);
  if (!toolFilter.ok) exitWithError(toolFilter.failure.message);
  return { service, toolFilter: toolFilter.value };
}
