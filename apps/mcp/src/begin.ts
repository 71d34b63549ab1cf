import { ConfigurationError, startService, type Service } from '@switchboard/bootstrap';
import { readFlags } from './flags.js';
import { giveUp } from './give-up.js';
import { choose, type Narrowing } from './narrowing.js';

/** Starts the service and settles which tools are in reach, from the environment and the command line. */
export async function begin(): Promise<{ readonly service: Service; readonly narrowing: Narrowing }> {
  const flags = readFlags();
  const service = await startService({ app: 'mcp-http', logTo: 'stdout' }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) giveUp(error.message);
    throw error;
  });
  const narrowing = choose(service.config, flags);
  if (!narrowing.ok) giveUp(narrowing.failure.message);
  return { service, narrowing: narrowing.value };
}
