import { probeProcess, type Config } from '@switchboard/bootstrap';
import { createServer } from 'node:net';
import { localUrl } from '../local-url.js';
import { passedCheck, failedCheck, type Check } from './check.js';

interface PortCheck {
  readonly name: string;
  readonly variable: string;
  readonly host: string;
  readonly port: number;
  /** Responds with 200 and JSON when the process is ours. */
  readonly probeUrl: string;
}

/** Each port is free, or used by one of our processes. */
export async function checkPorts(config: Config): Promise<readonly Check[]> {
  const { host, port, mcpPort, sandboxPort } = config;
  const portChecks: readonly PortCheck[] = [
    { name: 'REST', variable: 'PORT', host, port, probeUrl: `${localUrl(config, port)}/healthz` },
    {
      name: 'MCP',
      variable: 'MCP_PORT',
      host,
      port: mcpPort,
      probeUrl: `${localUrl(config, mcpPort)}/healthz`,
    },
    ...(config.sandbox ? [sandboxPortCheck(sandboxPort)] : []),
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

const sandboxPortCheck = (port: number): PortCheck => ({
  name: 'sandbox',
  variable: 'SWITCHBOARD_SANDBOX_PORT',
  host: '127.0.0.1',
  port,
  probeUrl: `http://127.0.0.1:${port}/_control/settings`,
});

async function checkPort({ name, variable, host, port, probeUrl }: PortCheck): Promise<Check> {
  if ((await probeProcess(probeUrl))?.status === 200) return passedCheck(name, `responds on port ${port}`);
  const code = await listenOnce(host, port);
  if (code === null) return passedCheck(name, `not running; port ${port} is free`);
  return code === 'EADDRINUSE'
    ? failedCheck(name, `port ${port} is used by another program`, `Stop it, or set ${variable}.`)
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
