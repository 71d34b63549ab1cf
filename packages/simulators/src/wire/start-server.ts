import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFaults, type Faults } from '../faults.js';
import { requestLog } from '../request-log.js';
import type { PlatformName } from '../world.js';
import type { HttpResponse } from './response.js';
import { writeResponse } from './write-response.js';
import type { WireResponse, WireRequest } from './exchange.js';
import { readMultipart } from './read-multipart.js';

export interface SimulatedServer {
  readonly url: string;
  /** Every request and its response, oldest first. */
  exchanges(): readonly { readonly request: WireRequest; readonly answer: WireResponse }[];
  /** Faults for this kind of platform apply here as in the sandbox. */
  readonly faults: Omit<Faults, 'take'>;
  close(): Promise<void>;
}

/** A platform on a local port: parsing, faults and the exchange log are here, the responses are its own. */
export async function startServer(
  platform: PlatformName,
  respondTo: (request: WireRequest) => WireResponse | Promise<WireResponse>,
): Promise<SimulatedServer> {
  const seen: { request: WireRequest; answer: WireResponse }[] = [];
  const faults = createFaults();
  const stopping = new AbortController();
  const stage = { requests: requestLog(), stopping: stopping.signal, origin: () => url };

  const server = createServer((incoming, response) => {
    void read(incoming).then((request) => {
      const fault = faults.take({
        platform,
        method: request.method,
        path: request.path,
        account: null,
        tokenHash: null,
        body: request.body === undefined ? '' : JSON.stringify(request.body, omitBytes),
      });
      return writeResponse(stage, response, fault, async () => {
        const answer = await respondTo(request);
        seen.push({ request, answer });
        return toHttpResponse(answer);
      }).catch(() => response.destroy());
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    exchanges: () => seen,
    faults,
    close: () =>
      new Promise((closed) => {
        stopping.abort();
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function toHttpResponse({ status, json, html, xml, headers = {} }: WireResponse): HttpResponse {
  if (html !== undefined)
    return { status, headers, body: { type: 'text', contentType: 'text/html; charset=utf-8', text: html } };
  if (xml !== undefined)
    return { status, headers, body: { type: 'text', contentType: 'application/xml', text: xml } };
  return { status, headers, body: json === undefined ? { type: 'empty' } : { type: 'json', value: json } };
}

async function read(incoming: IncomingMessage): Promise<WireRequest> {
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: await readBody(Buffer.concat(chunks), incoming.headers['content-type'] ?? ''),
  };
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

/** File contents are not searched for text. */
const omitBytes = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? undefined : value;
