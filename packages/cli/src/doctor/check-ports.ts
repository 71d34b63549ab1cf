import { askOwnProcess, type Config } from '@switchboard/bootstrap';
import { createServer } from 'node:net';
import { localUrl } from '../local-url.js';
import { fine, problem, type Check } from './check.js';

interface Door {
  readonly name: string;
  readonly variable: string;
  readonly host: string;
  readonly port: number;
  /** Answers 200 in JSON when it is ours. */
  readonly question: string;
}

/** Each port is free, or one of our processes has it. */
export async function checkPorts(config: Config): Promise<readonly Check[]> {
  const { host, port, mcpPort, sandboxPort } = config;
  const doors: readonly Door[] = [
    { name: 'REST', variable: 'PORT', host, port, question: `${localUrl(config, port)}/healthz` },
    {
      name: 'MCP',
      variable: 'MCP_PORT',
      host,
      port: mcpPort,
      question: `${localUrl(config, mcpPort)}/healthz`,
    },
    ...(config.sandbox ? [sandboxDoor(sandboxPort)] : []),
  ];
  return Promise.all(
    doors.map(async (door) => {
      const twin = doors.find((other) => other !== door && other.port === door.port);
      return twin
        ? problem(
            door.name,
            `${door.variable} and ${twin.variable} are both ${door.port}`,
            `Set ${door.variable} to another one.`,
          )
        : checkDoor(door);
    }),
  );
}

const sandboxDoor = (port: number): Door => ({
  name: 'sandbox',
  variable: 'SWITCHBOARD_SANDBOX_PORT',
  host: '127.0.0.1',
  port,
  question: `http://127.0.0.1:${port}/_control/settings`,
});

async function checkDoor({ name, variable, host, port, question }: Door): Promise<Check> {
  if ((await askOwnProcess(question))?.status === 200) return fine(name, `answers on port ${port}`);
  const code = await listenOnce(host, port);
  if (code === null) return fine(name, `does not run; port ${port} is free`);
  return code === 'EADDRINUSE'
    ? problem(name, `another program has port ${port}`, `Stop it, or set ${variable}.`)
    : problem(
        name,
        `${host}:${port} cannot be listened on (${code})`,
        `Set ${variable}${code === 'EACCES' ? ' above 1023' : ' or HOST'}.`,
      );
}

/** Null when it can be listened on, else why not. */
function listenOnce(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
