import '@switchboard/bootstrap/quiet';
import { begin } from './begin.js';
import { giveUp } from './give-up.js';
import { createHttpApp } from './http-app.js';
import { drain, listen } from './listen.js';
import { whenStopped } from './when-stopped.js';

const { service, narrowing } = await begin();
const { config } = service;
const server = await listen(createHttpApp(service, narrowing), config).catch(async (error: Error) => {
  await service.close();
  return giveUp(`cannot listen on ${config.host}:${config.mcpPort} (MCP_PORT): ${error.message}`);
});

whenStopped(service.databaseStopped, async () => {
  await drain(server);
  await service.close();
  process.exit(0);
});

// Whoever reads that it is ready may end it at once: the signals are heard by now.
process.stdout.write(`MCP is ready at ${config.mcpPublicUrl}/mcp\n`);
