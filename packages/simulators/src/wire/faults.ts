import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { bytesOf, headersOf, sendResponse, type WireResponse, type WireRequest } from './exchange.js';

/** Every kind of fault. `before` and `after` refer to the effect, which the caller cannot observe. */
export const FAULT_KINDS = [
  'delay',
  'hang',
  'hang-after-effect',
  'reset-before-effect',
  'reset-after-effect',
  '500-before',
  '500-after',
  '2xx-truncated',
  '2xx-no-id',
  '429',
  'garbage',
  'slow-drip',
  'huge',
  'redirect',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Field names are those of the sandbox's control endpoints, so that a test can break either. */
export interface FaultSpec {
  readonly kind: FaultKind;
  readonly match?:
    | {
        readonly method?: string | undefined;
        readonly path_prefix?: string | undefined;
        /** A text that the body contains anywhere; file contents are not searched. */
        readonly body?: string | undefined;
      }
    | undefined;
  /** The number of requests that it applies to, by default one; `null` until cleared. */
  readonly times?: number | null | undefined;
  /** The number of matching requests to skip first. */
  readonly after?: number | undefined;
  readonly delay_ms?: number | undefined;
  readonly retry_after?: number | undefined;
  readonly status?: number | undefined;
}

export interface Faults {
  add(fault: FaultSpec): void;
  /** The faults that still apply. */
  list(): readonly FaultSpec[];
  clear(): void;
}

const WITHOUT_EFFECT: readonly FaultKind[] = ['hang', 'reset-before-effect', '500-before', '429', 'redirect'];
const HUGE_BYTES = 64 * 1024 * 1024;

/** The faults of one server. `take` returns the oldest matching one and consumes one use of it. */
export function createFaults(): Faults & { take(request: WireRequest): FaultSpec | undefined } {
  const pending: { readonly fault: FaultSpec; skip: number; left: number }[] = [];
  return {
    add: (fault) =>
      void pending.push({
        fault,
        skip: fault.after ?? 0,
        left: fault.times === null ? Infinity : (fault.times ?? 1),
      }),
    list: () => pending.filter(({ left }) => left > 0).map(({ fault }) => fault),
    clear: () => void pending.splice(0),
    take(request) {
      for (const one of pending) {
        if (one.left === 0 || !matches(one.fault, request) || one.skip-- > 0) continue;
        one.left--;
        return one.fault;
      }
      return undefined;
    },
  };
}

function matches({ match = {} }: FaultSpec, { method, path, body }: WireRequest): boolean {
  return (
    (match.method === undefined || match.method === method) &&
    path.startsWith(match.path_prefix ?? '') &&
    (match.body === undefined || (JSON.stringify(body, omitBytes) ?? '').includes(match.body))
  );
}

const omitBytes = (_name: string, value: unknown): unknown =>
  value instanceof Uint8Array ? undefined : value;

/** Sends the response as the fault permits. `process` runs exactly when the fault lets the effect happen. */
export async function respondWithFault(
  fault: FaultSpec,
  response: ServerResponse,
  stopping: AbortSignal,
  process: () => Promise<WireResponse>,
): Promise<void> {
  const { kind, delay_ms: delayMs, retry_after: retryAfter = 2, status = 500 } = fault;
  if (kind === 'delay') await wait(delayMs ?? 2_000, undefined, { signal: stopping });
  const answer = WITHOUT_EFFECT.includes(kind) ? { status: 204 } : await process();
  switch (kind) {
    case 'delay':
      return sendResponse(response, answer);
    case 'hang':
    case 'hang-after-effect':
      return;
    case 'reset-before-effect':
    case 'reset-after-effect':
      return void response.socket?.resetAndDestroy();
    case '500-before':
    case '500-after':
      return sendResponse(response, { status, json: {} });
    case '429':
      return sendResponse(response, {
        status: 429,
        json: {},
        headers: { 'retry-after': String(retryAfter) },
      });
    case 'redirect':
      return sendResponse(response, { status: 307, headers: { location: 'http://127.0.0.1:9/' } });
    case '2xx-no-id':
      // The ID may also be in a header.
      return sendResponse(response, { status: answer.status, json: {} });
    case 'garbage':
      return void response.writeHead(answer.status, { 'content-type': 'application/json' }).end('<{');
    case '2xx-truncated':
      response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': 1_000 });
      return void response.write('{', () => response.socket?.destroy());
    case 'slow-drip':
      return drip(response, answer, delayMs ?? 250, stopping);
    case 'huge':
      return sendPadded(response, answer);
  }
}

async function drip(
  response: ServerResponse,
  answer: WireResponse,
  everyMs: number,
  stopping: AbortSignal,
): Promise<void> {
  response.writeHead(answer.status, headersOf(answer)).flushHeaders();
  for (const byte of bytesOf(answer)) {
    await wait(everyMs, undefined, { signal: stopping });
    if (response.closed) return;
    response.write(Uint8Array.of(byte));
  }
  response.end();
}

/** The padding is leading white space, so that a client that reads to the end finds a valid response. */
async function sendPadded(response: ServerResponse, answer: WireResponse): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  function* parts() {
    for (let sent = 0; sent < HUGE_BYTES; sent += chunk.length) yield chunk;
    yield bytesOf(answer);
  }
  response.writeHead(answer.status, headersOf(answer));
  // The client may disconnect, which is the purpose of this fault.
  await pipeline(Readable.from(parts()), response).catch(() => undefined);
}
