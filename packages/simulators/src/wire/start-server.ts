import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFaults, respondWithFault, type FaultSpec } from '@switchboard/fault-injection';
import { toRawResponse, type SimulatedResponse, type Exchange, type ReceivedRequest } from './exchange.js';
import { readMultipart } from './read-multipart.js';

/**
 * The one host of all test doubles: parsing, faults and the exchange log are here, the responses are theirs.
 * `faultOf` decides about the fault of each request, for tests whose faults depend on the number of requests.
 */
export async function startServer(
  respondTo: (request: ReceivedRequest) => SimulatedResponse,
  faultOf: (request: ReceivedRequest) => FaultSpec | undefined = () => undefined,
) {
  const exchanges: Exchange[] = [];
  const received: ReceivedRequest[] = [];
  const faults = createFaults<FaultSpec, ReceivedRequest>(isMeant);
  const stopping = new AbortController();
  const host = {
    stopping: stopping.signal,
    refuse: (status: number, headers: Readonly<Record<string, string>>) =>
      toRawResponse({ status, headers, json: {} }),
    // The ID may also be in a header.
    withoutId: ({ status }: { readonly status: number }) => toRawResponse({ status, json: {} }),
    elsewhere: 'http://127.0.0.1:9/',
  };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(incoming);
    received.push(request);
    const process = async () => {
      const answer = await respondTo(request);
      exchanges.push({ request, answer });
      return toRawResponse(answer);
    };
    await respondWithFault(faultOf(request) ?? faults.take(request), response, host, process);
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every processed request with its response, oldest first. */
    exchanges: (): readonly Exchange[] => exchanges,
    /** Every request, including those that a fault kept from being processed. */
    received: (): readonly ReceivedRequest[] => received,
    faults,
    close: () =>
      new Promise<void>((closed) => {
        stopping.abort();
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

export type SimulatedServer = Awaited<ReturnType<typeof startServer>>;

const isMeant = ({ match = {} }: FaultSpec, { method, path, body }: ReceivedRequest): boolean =>
  (match.method === undefined || match.method === method) &&
  path.startsWith(match.path_prefix ?? '') &&
  (match.body === undefined || (JSON.stringify(body, omitBytes) ?? '').includes(match.body));

const omitBytes = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? undefined : value;

async function read(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const { method = 'GET', url = '/', headers } = incoming;
  const { pathname: path, searchParams: query } = new URL(url, 'http://127.0.0.1');
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const body = await readBody(bytes, headers['content-type'] ?? '');
  return { method, url, path, query, headers, bytes, body };
}

async function readBody(body: Buffer<ArrayBuffer>, contentType: string): Promise<unknown> {
  if (body.length === 0) return undefined;
  if (contentType.startsWith('multipart/form-data')) return readMultipart(body, contentType);
  const text = body.toString();
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  return contentType === '' || /\bjson\b/.test(contentType) ? JSON.parse(text) : new Uint8Array(body);
}
