import '@switchboard/bootstrap/disable-debug-output';
import { startMcpService } from './http/start-mcp-service.js';
import { exitWithError } from './exit-with-error.js';
import { createHttpApp } from './http/http-app.js';
import { drain, listen } from './http/listen.js';
import { onShutdown } from './on-shutdown.js';

const { service, toolFilter } = await startMcpService();
const { config } = service;
const server = await listen(createHttpApp(service, toolFilter), config).catch(async (error: Error) => {
  await service.close();
  return exitWithError(`cannot listen on ${config.host}:${config.mcpPort} (MCP_PORT): ${error.message}`);
});

onShutdown(service.databaseStopped, async () => {
  await drain(server);
  await service.close();
  process.exit(0);
});

// Signal handlers are installed before readiness is announced.
process.stdout.write(`MCP is ready at ${config.mcpPublicUrl}/mcp\n`);
