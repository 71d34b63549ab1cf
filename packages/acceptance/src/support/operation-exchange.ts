import type { Operation } from '@switchboard/operations';
import { request as sendHttp } from 'undici';
import { callOperation } from './call-operation.js';
import type { JsonObject } from './json.js';
import { restClient, toHeaders } from './rest-client.js';
import type { Switchboard } from './installation.js';

/**
 * Everything by which a caller can distinguish responses: status, headers and bytes, without call-specific
 * values.
 */
export interface OperationExchange {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  /** The JSON of the response or, on MCP, of the tool result. */
  readonly json: JsonObject;
  readonly isError: boolean;
}

/** Calls an operation over one wire. */
export type OperationCaller = (
  operation: Operation,
  input: JsonObject,
  headers?: Readonly<Record<string, string>>,
) => Promise<OperationExchange>;

const PER_CALL_HEADERS = /^(date|x-request-id|ratelimit)$/;

const normalizeResponse = (status: number, headers: Headers, text: string) => ({
  status,
  headers: [...headers]
    .filter(([name]) => !PER_CALL_HEADERS.test(name))
    .map(([name, value]) => `${name}: ${value}`)
    .sort(),
  body: text.replace(/\breq_[0-9a-z]{26}\b/g, 'req_…'),
});

export function createRestCaller({ url }: Pick<Switchboard, 'url'>, key: string): OperationCaller {
  const client = restClient(url, key);
  return async (operation, input, more) => {
    const { status, headers, text, json } = await callOperation(client, operation, input, more);
    return { ...normalizeResponse(status, headers, text), json, isError: status >= 400 };
  };
}

/** One raw message to one tool, without a client library, so that the exact bytes are compared. */
export function createMcpCaller({ mcpUrl }: Pick<Switchboard, 'mcpUrl'>, key: string): OperationCaller {
  return async ({ tool }, input, more) => {
    const response = await sendHttp(mcpUrl, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...more,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: input },
      }),
    });
    const text = await response.body.text();
    const { result } = JSON.parse(text) as { result?: { isError?: boolean; structuredContent?: JsonObject } };
    if (!result) throw new Error(`The tool ${tool} returned ${response.statusCode}: ${text}`);
    const json = result.structuredContent ?? {};
    return {
      ...normalizeResponse(response.statusCode, toHeaders(response.headers), text),
      json,
      isError: result.isError === true,
    };
  };
}
