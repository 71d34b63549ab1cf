import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../faults.js';
import type { World } from '../world.js';
import type { HttpResponse, ResponseBody } from './response.js';
import { empty, refusal } from './response.js';
import { replaceFreeText } from './replace-free-text.js';

const HUGE_BYTES = 64 * 1024 * 1024;
const GARBAGE = '\u0000\u0001<<< upstream said something else >>> {"id": ';

/** The server context of a response. */
export type ResponseContext = Pick<World, 'requests' | 'stopping' | 'origin'>;

/**
 * Runs the handler and sends its response, modified by the fault. The handler runs exactly when the fault's
 * kind allows the effect.
 */
export async function writeResponse(
  world: ResponseContext,
  response: ServerResponse,
  fault: Fault | undefined,
  handle: () => HttpResponse | Promise<HttpResponse>,
): Promise<void> {
  switch (fault?.kind) {
    case undefined:
      return send(world, response, await handle());
    case 'delay':
      await wait(fault.delay_ms ?? 2000, undefined, { signal: world.stopping });
      return send(world, response, await handle());
    case 'hang':
      return;
    case 'hang-after-effect':
      await handle();
      return;
    case 'reset-before-effect':
      response.socket?.resetAndDestroy();
      return;
    case 'reset-after-effect':
      await handle();
      response.socket?.resetAndDestroy();
      return;
    case '500-before':
      return send(world, response, internal(fault));
    case '500-after':
      await handle();
      return send(world, response, internal(fault));
    case '429':
      return send(world, response, tooManyRequests(fault));
    case '403':
      return send(world, response, forbidden());
    case 'redirect':
      return send(
        world,
        response,
        empty(307, { location: fault.location ?? `${world.origin()}/_elsewhere` }),
      );
    case 'strange-words':
      return send(world, response, replaceFreeText(await handle(), fault.words ?? ''));
    case '2xx-no-id':
      return send(world, response, withoutId(await handle()));
    case 'garbage':
      return send(world, response, corruptResponse(await handle()));
    case '2xx-truncated':
      return sendHalf(world, response, await handle());
    case 'slow-drip':
      return drip(world, response, await handle(), fault.delay_ms ?? 250);
    case 'huge':
      return sendPadded(world, response, await handle());
  }
}

function internal(fault: Fault): HttpResponse {
  return refusal(fault.status ?? 500, 'internal', 'Internal error.');
}

function tooManyRequests(fault: Fault): HttpResponse {
  return refusal(
    429,
    'rate_limited',
    'Too many requests.',
    {},
    { 'retry-after': String(fault.retry_after ?? 2) },
  );
}

function forbidden(): HttpResponse {
  return refusal(403, 'insufficient_scope', 'The account owner did not grant this permission.');
}

function withoutId(reply: HttpResponse): HttpResponse {
  const { body } = reply;
  if (body.type !== 'json' || typeof body.value !== 'object' || body.value === null) return reply;
  const stored = Object.entries(body.value).filter(([field]) => field !== 'id' && field !== 'access_token');
  return { ...reply, body: { type: 'json', value: Object.fromEntries(stored) } };
}

function corruptResponse(reply: HttpResponse): HttpResponse {
  return { ...reply, body: { type: 'text', contentType: 'application/json', text: GARBAGE } };
}

function start(
  world: ResponseContext,
  response: ServerResponse,
  reply: HttpResponse,
  paddingBytes = 0,
): Buffer {
  const logged = world.requests.of(response.req);
  if (logged) logged.status = reply.status;
  const { body } = reply;
  const bytes = bytesOf(body);
  response.writeHead(reply.status, {
    ...reply.headers,
    ...(body.type === 'json' ? { 'content-type': 'application/json; charset=utf-8' } : {}),
    ...('contentType' in body ? { 'content-type': body.contentType } : {}),
    ...(reply.status === 204 ? {} : { 'content-length': bytes.length + paddingBytes }),
  });
  return bytes;
}

function bytesOf(body: ResponseBody): Buffer {
  switch (body.type) {
    case 'empty':
      return Buffer.alloc(0);
    case 'json':
      return Buffer.from(JSON.stringify(body.value));
    case 'text':
      return Buffer.from(body.text);
    case 'file':
      return Buffer.from(body.bytes);
  }
}

function send(world: ResponseContext, response: ServerResponse, reply: HttpResponse): void {
  response.end(start(world, response, reply));
}

async function sendHalf(
  world: ResponseContext,
  response: ServerResponse,
  reply: HttpResponse,
): Promise<void> {
  const bytes = start(world, response, reply);
  if (bytes.length === 0) return void response.end();
  await new Promise((sent) => response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), sent));
  response.socket?.destroy();
}

async function drip(
  world: ResponseContext,
  response: ServerResponse,
  reply: HttpResponse,
  everyMs: number,
): Promise<void> {
  const bytes = start(world, response, reply);
  response.flushHeaders();
  for (const byte of bytes) {
    await wait(everyMs, undefined, { signal: world.stopping });
    if (response.closed) return;
    response.write(Uint8Array.of(byte));
  }
  response.end();
}

/** The padding is leading white space, so that a client that reads to the end finds a valid response. */
async function sendPadded(
  world: ResponseContext,
  response: ServerResponse,
  reply: HttpResponse,
): Promise<void> {
  const bytes = start(world, response, reply, HUGE_BYTES);
  const chunk = Buffer.alloc(64 * 1024, ' ');
  function* parts() {
    for (let sent = 0; sent < HUGE_BYTES; sent += chunk.length) yield chunk;
    yield bytes;
  }
  // The client may disconnect, which is the purpose of this fault.
  await pipeline(Readable.from(parts()), response).catch(() => undefined);
}
