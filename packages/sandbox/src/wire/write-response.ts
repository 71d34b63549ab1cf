import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault, FaultKind } from '../faults.js';
import type { World } from '../world.js';
import { empty, refusal, type HttpResponse, type ResponseBody } from './response.js';

const HUGE_BYTES = 64 * 1024 * 1024;
const GARBAGE = '\u0000\u0001<<< upstream said something else >>> {"id": ';

/** The server context of a response. */
type ResponseContext = Pick<World, 'requests' | 'stopping' | 'origin'>;

const WITHOUT_EFFECT: readonly FaultKind[] = [
  ...(['hang', 'reset-before-effect', '500-before', '429', '403', 'redirect'] as const),
];

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
  const wholly = (reply: HttpResponse) => send(world, response, reply);
  if (!fault) return wholly(await handle());
  const { kind, delay_ms: delayMs } = fault;
  if (kind === 'delay') await wait(delayMs ?? 2000, undefined, { signal: world.stopping });
  const reply = WITHOUT_EFFECT.includes(kind) ? empty(204) : await handle();
  switch (kind) {
    case 'delay':
      return wholly(reply);
    case 'hang':
    case 'hang-after-effect':
      return;
    case 'reset-before-effect':
    case 'reset-after-effect':
      return void response.socket?.resetAndDestroy();
    case '500-before':
    case '500-after':
      return wholly(refusal(fault.status ?? 500, 'internal', 'Internal error.'));
    case '429':
      return wholly(tooManyRequests(fault));
    case '403':
      return wholly(refusal(403, 'insufficient_scope', 'The account owner did not grant this permission.'));
    case 'redirect':
      return wholly(empty(307, { location: fault.location ?? `${world.origin()}/_elsewhere` }));
    case 'strange-words':
      return wholly(replaceFreeText(reply, fault.words ?? ''));
    case '2xx-no-id':
      return wholly(withoutId(reply));
    case 'garbage':
      return wholly({ ...reply, body: { type: 'text', contentType: 'application/json', text: GARBAGE } });
    case '2xx-truncated':
      return sendHalf(world, response, reply);
    case 'slow-drip':
      return drip(world, response, reply, delayMs ?? 250);
    case 'huge':
      return sendPadded(world, response, reply);
  }
}

function tooManyRequests({ retry_after: seconds = 2 }: Fault): HttpResponse {
  return refusal(429, 'rate_limited', 'Too many requests.', {}, { 'retry-after': String(seconds) });
}

function withoutId(reply: HttpResponse): HttpResponse {
  const { body } = reply;
  if (body.type !== 'json' || typeof body.value !== 'object' || body.value === null) return reply;
  const stored = Object.entries(body.value).filter(([field]) => field !== 'id' && field !== 'access_token');
  return { ...reply, body: { type: 'json', value: Object.fromEntries(stored) } };
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

/** Free-text fields of people and shops; the other fields are machine-readable. */
const FREE_TEXT_FIELDS: readonly string[] = [
  'name',
  'username',
  'bio',
  'text',
  'title',
  'note',
  'reason',
  'message',
  'number',
  'method',
  'line1',
  'city',
];

/** The response with this text in every free-text field. Empty fields stay empty. */
const replaceFreeText = ({ body, ...answer }: HttpResponse, words: string): HttpResponse => ({
  ...answer,
  body: body.type === 'json' ? { type: 'json', value: replaceText(body.value, words) } : body,
});

function replaceText(value: unknown, words: string): unknown {
  if (Array.isArray(value)) return value.map((one) => replaceText(one, words));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]: [string, unknown]) => [
      field,
      FREE_TEXT_FIELDS.includes(field) && (typeof inner === 'string' || field === 'note')
        ? words
        : replaceText(inner, words),
    ]),
  );
}
