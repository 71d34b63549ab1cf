import { EventEmitter } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Service } from '@switchboard/bootstrap';
import { createHttpApp } from '../http/http-app.js';
import { listen } from '../http/listen.js';
import { createToolFilter } from '../tools/tool-filter.js';
import type { ServerFactories } from '../protocol/server.js';

export type Headers = Readonly<Record<string, string | undefined>>;

interface HttpTestResponse {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly json: Record<string, unknown>;
}

export const rpc = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/**
 * MCP over HTTP on its own port, and requests as raw as needed: `fetch` would not send a custom Host, nor a
 * header twice.
 */
export async function openHttpTestClient(
  service: Service,
  authorization: string,
  factories?: ServerFactories,
) {
  const toolFilter = createToolFilter(service.config);
  if (!toolFilter.ok) throw new Error(toolFilter.failure.message);
  /** Emits the operation of each finished call. */
  const ended = new EventEmitter();
  const dispatch: typeof service.dispatch = async (operation, envelope) => {
    const answer = await service.dispatch(operation, envelope);
    ended.emit(operation.name);
    return answer;
  };
  const { server, drain } = await listen(
    createHttpApp({ ...service, dispatch }, toolFilter.value, factories),
    {
      ...service.config,
      mcpPort: 0,
    },
  );
  const { port } = server.address() as AddressInfo;

  /** A header that is given twice is sent twice. */
  function startRequest(method: string, body: string | undefined, pairs: readonly string[], at = '/mcp') {
    const hasHeader = (headerName: string) =>
      pairs.some((name, index) => index % 2 === 0 && name === headerName);
    const headers = [
      ...(hasHeader('host') ? [] : ['host', `127.0.0.1:${port}`]),
      ...['connection', 'close'],
      ...(body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))]),
      ...pairs,
    ];
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      path: at,
      method,
      headers,
      setHost: false,
      agent: false,
    });
    request.end(body);
    return request;
  }

  const send = (...requestParameters: Parameters<typeof startRequest>): Promise<HttpTestResponse> =>
    new Promise((resolve, reject) => {
      let hasResponse = false;
      const request = startRequest(...requestParameters);
      request.on('response', (response) => {
        hasResponse = true;
        text(response).then((body) => {
          const isJson = /json/.test(response.headers['content-type'] ?? '');
          const json = isJson ? (JSON.parse(body) as Record<string, unknown>) : {};
          resolve({ status: response.statusCode, headers: response.headers, body, json });
        }, reject);
      });
      // The server may reject the request, and close the connection, while the body is still being sent.
      request.on('error', (error) => (hasResponse ? undefined : reject(error)));
    });

  const defaultHeaders = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const pairsOf = (headers: Headers) =>
    Object.entries({ ...defaultHeaders, authorization, ...headers }).flatMap(([name, value]) =>
      value === undefined ? [] : [name, value],
    );

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    ended,
    send,
    post: (body: string, headers: Headers = {}) => send('POST', body, pairsOf(headers)),
    startPost: (body: string, headers: Headers = {}) => startRequest('POST', body, pairsOf(headers)),
    async close() {
      server.closeAllConnections();
      await drain();
    },
  };
}

export type HttpTestClient = Awaited<ReturnType<typeof openHttpTestClient>>;
