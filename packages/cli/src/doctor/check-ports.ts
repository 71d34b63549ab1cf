import { isResponding, listProcessRecords, type Config } from '@switchboard/bootstrap';
import { createServer } from 'node:net';
import { passedCheck, failedCheck, type Check } from './check.js';

interface PortCheck {
  readonly name: string;
  readonly variable: string;
  readonly host: string;
  readonly port: number;
  /** A process of this installation serves it. */
  readonly isServed: boolean;
}

/** Each port is free, or used by a process of this installation. */
export async function checkPorts(config: Config): Promise<readonly Check[]> {
  const { host, port, mcpPort, sandboxPort } = config;
  const records = listProcessRecords(config);
  const responding = await Promise.all(records.map(isResponding));
  const serving = records.filter((_record, at) => responding[at]).map((record) => record.config);
  const portChecks: readonly PortCheck[] = [
    { name: 'REST', variable: 'PORT', host, port, isServed: serving.some((one) => one.port === port) },
    {
      name: 'MCP',
      variable: 'MCP_PORT',
      host,
      port: mcpPort,
      isServed: serving.some((one) => one.mcpPort === mcpPort),
    },
    ...(config.sandbox
      ? [
          {
            name: 'sandbox',
            variable: 'SWITCHBOARD_SANDBOX_PORT',
            host: '127.0.0.1',
            port: sandboxPort,
            isServed: serving.some((one) => one.sandbox && one.sandboxPort === sandboxPort),
          },
        ]
      : []),
  ];
  return Promise.all(
    portChecks.map(async (portCheck) => {
      const conflict = portChecks.find((other) => other !== portCheck && other.port === portCheck.port);
      return conflict
        ? failedCheck(
            portCheck.name,
            `${portCheck.variable} and ${conflict.variable} are both ${portCheck.port}`,
            `Set ${portCheck.variable} to another one.`,
          )
        : checkPort(portCheck);
    }),
  );
}

async function checkPort({ name, variable, host, port, isServed }: PortCheck): Promise<Check> {
  if (isServed) return passedCheck(name, `responds on port ${port}`);
  const code = await listenOnce(host, port);
  if (code === null) return passedCheck(name, `not running; port ${port} is free`);
  return code === 'EADDRINUSE'
    ? failedCheck(
        name,
        `port ${port} is used by another installation or program`,
        `Stop it, or set ${variable}.`,
      )
    : failedCheck(
        name,
        `cannot listen on ${host}:${port} (${code})`,
        `Set ${variable}${code === 'EACCES' ? ' above 1023' : ' or HOST'}.`,
      );
}

/** Null when the port is free, else the error code. */
function listenOnce(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}
