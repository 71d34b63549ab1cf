import type { IncomingMessage } from 'node:http';
import type { PlatformName } from './world.js';

export interface LoggedRequest {
  readonly seq: number;
  readonly at: string;
  readonly platform: PlatformName | null;
  readonly method: string;
  readonly path: string;
  /** A hash of the bearer token, never the token. */
  readonly token_hash: string | null;
  readonly account: string | null;
  readonly referer: string | null;
  fault: string | null;
  /** `null` until, and unless, a response is sent. */
  status: number | null;
}

const ENTRIES_MAX = 5000;

export function requestLog() {
  let entries: LoggedRequest[] = [];
  const byRequest = new WeakMap<IncomingMessage, LoggedRequest>();
  let seq = 0;
  return {
    begin(request: IncomingMessage, entry: Omit<LoggedRequest, 'seq' | 'fault' | 'status'>): void {
      const logged: LoggedRequest = { seq: ++seq, ...entry, fault: null, status: null };
      byRequest.set(request, logged);
      entries.push(logged);
      if (entries.length > ENTRIES_MAX * 2) entries = entries.slice(-ENTRIES_MAX);
    },
    /** The log entry of a request in progress. */
    of: (request: IncomingMessage) => byRequest.get(request),
    entries: () => entries.slice(-ENTRIES_MAX).map((entry) => ({ ...entry })),
  };
}
export type RequestLog = ReturnType<typeof requestLog>;
