import { PassThrough } from 'node:stream';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { McpProgram } from '@switchboard/bootstrap';
import { serveStdio } from '@switchboard/mcp';
import { discardLog } from './discard-log.js';
import type { JsonObject } from './json.js';
import { programs } from './programs.js';
import type { Switchboard } from './installation.js';

export interface ToolResponse {
  readonly isError: boolean;
  readonly json: JsonObject;
  /** The text block, whose first line is for people. */
  readonly text: string;
  /** The blocks after the first one. */
  readonly furtherBlocks: readonly object[];
}

export interface McpClient {
  call(tool: string, given?: object): Promise<ToolResponse>;
  tools(): Promise<readonly string[]>;
  toolDefinitions(): Promise<readonly object[]>;
  close(): Promise<void>;
}

/** Only a fault takes this long: over stdio the first call waits for the service to load. */
export const CALL_TIMEOUT_MS = 180_000;

type Transport = StdioClientTransport | StdioServerTransport | StreamableHTTPClientTransport;

/** The user's response to an elicitation; without it the client declares no support for elicitation. */
export type ElicitationHandler = (question: string) => ElicitResult;

/** A separate process for each client, as a desktop agent starts it, in an arbitrary working directory. */
export const mcpStdioProcess = ({ env }: Pick<Switchboard, 'env'>, key: string) => ({
  command: process.execPath,
  args: [programs.mcpStdio],
  env: { PATH: process.env['PATH'] ?? '', ...env, SWITCHBOARD_API_KEY: key },
  cwd: '/',
  stderr: 'ignore' as const,
});

export const connectMcpStdio = (
  switchboard: Pick<Switchboard, 'env'>,
  key: string,
  person?: ElicitationHandler,
) => connect(new StdioClientTransport(mcpStdioProcess(switchboard, key)), person);

/**
 * The same protocol, served in the process of the test: a process takes longer to start than most tests take. Tests of
 * the program, of its start and of its end use `connectMcpStdio`.
 */
export async function connectMcpStreams(
  switchboard: Pick<Switchboard, 'env'>,
  key: string,
  person?: ElicitationHandler,
): Promise<McpClient> {
  const { input, output, closed } = serveMcpStreams(switchboard, key);
  const client = await connect(new StdioServerTransport(output, input), person);
  return { ...client, close: () => client.close().then(closed) };
}

/** A server with the streams that would be those of its process. */
export function serveMcpStreams({ env }: Pick<Switchboard, 'env'>, key: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const server = serveStdio({
    flags: { toolsets: null, readOnly: false },
    input,
    output,
    logTo: discardLog,
    env: { ...env, SWITCHBOARD_API_KEY: key },
  });
  const stopped = server.disconnected.then(() => server.close());
  const closed = async () => {
    input.end();
    await stopped;
  };
  return { input, output, closed };
}

/** Starts the command of a client configuration with exactly the environment it contains. */
export const connectMcpProgram = ({ command, args, env }: McpProgram) =>
  connect(
    new StdioClientTransport({
      // The SDK's transport would add variables of this machine.
      command: '/usr/bin/env',
      args: ['-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), command, ...args],
      cwd: '/',
      stderr: 'ignore',
    }),
  );

export const connectMcpHttp = ({ mcpUrl }: Pick<Switchboard, 'mcpUrl'>, key: string) =>
  connect(
    new StreamableHTTPClientTransport(new URL(mcpUrl), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );

async function connect(transport: Transport, person?: ElicitationHandler): Promise<McpClient> {
  const capabilities = person ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'acceptance', version: '1' }, { capabilities });
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message));
  await client.connect(transport);
  return {
    async call(tool, given = {}) {
      const result = await client.callTool({ name: tool, arguments: { ...given } }, undefined, {
        timeout: CALL_TIMEOUT_MS,
      });
      const [block, ...furtherBlocks] = result.content as { type: string; text: string }[];
      return {
        isError: result.isError === true,
        json: (result.structuredContent ?? {}) as JsonObject,
        text: block?.text ?? '',
        furtherBlocks,
      };
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    toolDefinitions: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}
