import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { WITHOUT_EFFECT, type FaultSpec } from './faults.js';

/** A complete response, before a fault has changed it. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** The server of a response, and its own form of what faults send. */
export interface FaultHost {
  /** Aborted when the server closes, so that a delayed request has no effect after it. */
  readonly stopping: AbortSignal;
  /** Called before each response with its status. */
  readonly onResponse?: (status: number) => void;
  readonly refuse: (status: number, headers: Readonly<Record<string, string>>) => RawResponse;
  /** The same response without the ID of what was created. */
  readonly withoutId: (reply: RawResponse) => RawResponse;
  /** Where redirects lead by default. */
  readonly elsewhere: string;
}

const HUGE_BYTES = 64 * 1024 * 1024;
const JSON_HEADERS = { 'content-type': 'application/json' };
const GARBAGE = Buffer.from('\u0000\u0001<<< upstream said something else >>> {"id": ');

/**
 * Processes a request and sends the response as the fault permits; without a fault, as it is. `process` runs
 * exactly when the fault lets the effect happen.
 */
export async function respondWithFault(
  fault: Omit<FaultSpec, 'match'> | undefined,
  response: ServerResponse,
  host: FaultHost,
  process: () => Promise<RawResponse>,
): Promise<void> {
  const send = (reply: RawResponse) => void response.end(begin(host, response, reply));
  if (!fault) return send(await process());
  const { kind, delay_ms: delayMs, retry_after: retryAfter = 2, status = 500 } = fault;
  const delay = () => wait(delayMs ?? 2_000, undefined, { signal: host.stopping });
  if (kind === 'delay') await delay();
  if (kind === 'delay-after-effect') {
    // Concurrent requests are all received before the first one is processed, so that their delays begin together.
    const [reply] = await Promise.all([nextTurn().then(process), delay()]);
    return send(reply);
  }
  const isProcessed = !WITHOUT_EFFECT.includes(kind);
  const reply = isProcessed ? await process() : { status: 204, headers: {}, bytes: new Uint8Array() };
  switch (kind) {
    case 'delay':
      return send(reply);
    case 'hang':
    case 'hang-after-effect':
      return;
    case 'reset-before-effect':
    case 'reset-after-effect':
      return void response.socket?.resetAndDestroy();
    case '500-before':
    case '500-after':
      return send(host.refuse(status, {}));
    case '429':
      return send(host.refuse(429, { 'retry-after': String(retryAfter) }));
    case '403':
      return send(host.refuse(403, {}));
    case 'redirect':
      return send({ ...reply, status: 307, headers: { location: fault.location ?? host.elsewhere } });
    case 'strange-words':
      return send(replaceFreeText(reply, fault.words ?? ''));
    case '2xx-no-id':
      return send(host.withoutId(reply));
    case 'garbage':
      return send({ ...reply, headers: JSON_HEADERS, bytes: GARBAGE });
    case '2xx-truncated':
      return sendHalf(host, response, reply);
    case 'slow-drip':
      return drip(host, response, reply, delayMs ?? 250);
    case 'huge':
      return sendPadded(host, response, reply);
  }
}

/** Sends the headers; returns the body. */
function begin(host: FaultHost, response: ServerResponse, reply: RawResponse, paddingBytes = 0): Uint8Array {
  const { status, headers, bytes } = reply;
  host.onResponse?.(status);
  const length = status === 204 ? {} : { 'content-length': String(bytes.length + paddingBytes) };
  response.writeHead(status, { ...headers, ...length });
  return bytes;
}

/** Without the other headers, which may contain the ID. */
async function sendHalf(host: FaultHost, response: ServerResponse, reply: RawResponse): Promise<void> {
  // Without a body, only the head can be cut.
  if (reply.status === 204) return void response.socket?.destroy();
  const bytes = reply.bytes.length > 1 ? reply.bytes : Buffer.from('{}');
  begin(host, response, { ...reply, headers: JSON_HEADERS, bytes });
  await new Promise((sent) => response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), sent));
  response.socket?.destroy();
}

async function drip(
  host: FaultHost,
  response: ServerResponse,
  reply: RawResponse,
  everyMs: number,
): Promise<void> {
  const bytes = begin(host, response, reply);
  response.flushHeaders();
  for (const byte of bytes) {
    await wait(everyMs, undefined, { signal: host.stopping });
    if (response.closed) return;
    response.write(Uint8Array.of(byte));
  }
  response.end();
}

/** The padding is leading white space, so that a client that reads to the end finds a valid response. */
async function sendPadded(host: FaultHost, response: ServerResponse, reply: RawResponse): Promise<void> {
  const bytes = begin(host, response, reply, HUGE_BYTES);
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
  ...['name', 'username', 'bio', 'text', 'title', 'note', 'reason', 'message'],
  ...['number', 'method', 'line1', 'city'],
];

/** The response with this text in every free-text field. Empty fields stay empty. */
const replaceFreeText = ({ bytes, ...reply }: RawResponse, words: string): RawResponse => ({
  ...reply,
  bytes: String(reply.headers['content-type']).includes('json')
    ? Buffer.from(JSON.stringify(replaceText(JSON.parse(Buffer.from(bytes).toString()), words)))
    : bytes,
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
