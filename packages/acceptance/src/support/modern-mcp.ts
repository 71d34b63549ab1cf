import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Switchboard } from './installation.js';
import { asObject, type JsonObject } from './json.js';
import {
  CALL_TIMEOUT_MS,
  mcpStdioProcess,
  serveMcpStreams,
  type ElicitationHandler,
  type McpClient,
} from './mcp-client.js';

const REVISION = '2026-07-28';

interface ModernClientOptions {
  /** `streams`: the protocol over stdio, served in the process of the test. */
  readonly over: 'http' | 'stdio' | 'streams';
  readonly mode?: VersionNegotiationMode;
  /** The response of the person; without it the client declares no support for elicitation. */
  readonly person?: ElicitationHandler;
}

/** A client of version 2 of the SDK, in revision 2026-07-28 unless the mode is another. */
export async function connectModernMcp(
  { mcpUrl, env }: Pick<Switchboard, 'mcpUrl' | 'env'>,
  key: string,
  { over, mode = { pin: REVISION }, person }: ModernClientOptions,
): Promise<McpClient> {
  const client = new Client(
    { name: 'acceptance', version: '2' },
    { versionNegotiation: { mode }, capabilities: person ? { elicitation: { form: {} } } : {} },
  );
  if (person) {
    client.setRequestHandler('elicitation/create', ({ params }) => person(params.message));
  }
  const streams = over === 'streams' ? serveMcpStreams({ env }, key) : null;
  await client.connect(
    streams
      ? new StdioServerTransport(streams.output, streams.input)
      : over === 'http'
        ? new StreamableHTTPClientTransport(new URL(mcpUrl), {
            requestInit: { headers: { authorization: `Bearer ${key}` } },
          })
        : new StdioClientTransport(mcpStdioProcess({ env }, key)),
  );
  return {
    async call(tool, given = {}) {
      const result = await client.callTool(
        { name: tool, arguments: { ...given } },
        { timeout: CALL_TIMEOUT_MS },
      );
      const [block, ...furtherBlocks] = result.content;
      return {
        isError: result.isError === true,
        json: (result.structuredContent ?? {}) as JsonObject,
        text: block?.type === 'text' ? block.text : '',
        furtherBlocks,
      };
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    toolDefinitions: async () => (await client.listTools()).tools,
    async close() {
      await client.close();
      await streams?.closed();
    },
  };
}

/** What a client adds to the parameters when it sends a request again. */
export interface RetryFields {
  readonly inputResponses?: unknown;
  readonly requestState?: unknown;
}

/** A call as the protocol sends it over HTTP, so that a test can send what no client would. */
export function modernToolCall(
  name: string,
  toolArguments: object,
  { inputResponses, requestState }: RetryFields = {},
  capabilities: object = { elicitation: { form: {} } },
): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  const params = {
    name,
    arguments: toolArguments,
    inputResponses,
    requestState,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    },
  };
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}

/** Sends such a call and returns the whole JSON-RPC response. */
export async function sendModern(
  url: string,
  key: string,
  ...call: Parameters<typeof modernToolCall>
): Promise<JsonObject> {
  const { headers, body } = modernToolCall(...call);
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${key}` },
    body,
  });
  return asObject(await response.json());
}
