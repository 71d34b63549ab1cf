import { ConfigurationError, startService, type Service } from '@switchboard/bootstrap';
import { readFlags } from '../flags.js';
import { exitWithError } from '../exit-with-error.js';
import { createToolFilter, type ToolFilter } from '../tools/tool-filter.js';

/** Starts the service and reads the tool filter from the environment and the command line. */
export async function startMcpService(): Promise<{
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
