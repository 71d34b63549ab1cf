import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parentPort } from 'node:worker_threads';

/** What a path received since it was reset. */
export interface ReceivedMessages {
  readonly count: number;
  /** When the last one was received. */
  readonly lastMs: number;
  /** How long after its event was committed each message was received; only of paths that are timed. */
  readonly delaysMs: readonly number[];
}

const GIGABYTES_10 = 10 * 1024 ** 3;
const BLOCK = Buffer.alloc(65_536, 'x');
const DRIP_MS = 100;

/** How a path responds; with 204 by default. */
const responders: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/hang': () => undefined,
  '/drip': (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('x'), DRIP_MS);
    response.on('close', () => clearInterval(drip));
  },
  '/huge': (response) => {
    response.writeHead(200, { 'content-length': String(GIGABYTES_10) });
    const write = (): void => {
      if (response.destroyed) return;
      if (response.write(BLOCK)) setImmediate(write);
      else response.once('drain', write);
    };
    write();
  },
};

let received = new Map<string, { count: number; lastMs: number; delaysMs: number[] }>();

/** A receiver in a thread of its own, so that it does not delay what is measured in the others. */
const server = createServer((request, response) => {
  void (async () => {
    const body = await text(request);
    const path = request.url ?? '';
    if (body.startsWith('{"type":"webhook.challenge"')) return response.end(body);
    const nowMs = Date.now();
    const state = received.get(path) ?? { count: 0, lastMs: 0, delaysMs: [] };
    received.set(path, state);
    state.count += 1;
    state.lastMs = nowMs;
    if (path === '/timed') {
      const { created_at: createdAt } = JSON.parse(body) as { created_at: string };
      state.delaysMs.push(nowMs - Date.parse(createdAt));
    }
    const respond = responders[path];
    if (respond) respond(response);
    else response.writeHead(204).end();
  })();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
parentPort?.postMessage((server.address() as AddressInfo).port);
parentPort?.on('message', (path: string | null) => {
  if (path === null) received = new Map();
  parentPort?.postMessage(received.get(path ?? '') ?? { count: 0, lastMs: 0, delaysMs: [] });
});
