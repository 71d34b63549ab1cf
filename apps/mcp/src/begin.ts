import { parseArgs } from 'node:util';
import { ConfigurationError, startService, type Service } from '@switchboard/bootstrap';
import { listOf } from './headers.js';
import { choose, type Narrowing, type Wish } from './narrowing.js';

/** Ends the process with one line that says why. */
export function giveUp(why: string): never {
  process.stderr.write(`switchboard-mcp: ${why}\n`);
  process.exit(1);
}

/** Starts the service and settles which tools are in reach, from the environment and the command line. */
export async function begin(
  app: 'mcp-stdio' | 'mcp-http',
  logTo: 'stdout' | 'stderr',
): Promise<{ readonly service: Service; readonly narrowing: Narrowing }> {
  const flags = readFlags();
  const service = await startService({ app, logTo }).catch((error: unknown) => {
    if (error instanceof ConfigurationError) giveUp(error.message);
    throw error;
  });
  const narrowing = choose(service.config, flags);
  if (!narrowing.ok) giveUp(narrowing.failure.message);
  return { service, narrowing: narrowing.value };
}

function readFlags(): Wish {
  try {
    const { values } = parseArgs({
      options: { toolsets: { type: 'string' }, 'read-only': { type: 'boolean', default: false } },
    });
    return {
      toolsets: values.toolsets === undefined ? null : listOf(values.toolsets),
      readOnly: values['read-only'],
    };
  } catch (error) {
    giveUp(
      `${(error as Error).message} The flags are --toolsets social,commerce,connections,admin and --read-only.`,
    );
  }
}
