import type { Outbound, OutboundOutcome } from '@switchboard/domain';
import { Agent } from 'undici';
import { acceptedCodings } from './decode-body.js';
import { exchange } from './exchange.js';
import { guardedConnector } from './guarded-connector.js';
import { systemResolve, type Resolve } from './guarded-lookup.js';
import { hostRule } from './host-rule.js';
import { readTarget } from './target.js';

export interface OutboundOptions {
  /** Hosts, as `host` or `host:port`, that may be private and may be reached without TLS. */
  readonly allowPrivateHosts: readonly string[];
  readonly userAgent: string;
  /** How names become addresses; the system's resolver unless given. */
  readonly resolve?: Resolve | undefined;
}

const DEADLINE_SECONDS = 20;
const HEADERS_SECONDS = 10;
const MAX_BYTES = 1024 * 1024;

export function undiciOutbound(options: OutboundOptions): Outbound & { close(): Promise<void> } {
  const rule = hostRule(options.allowPrivateHosts);
  const agent = new Agent({
    connect: guardedConnector(rule, options.resolve ?? systemResolve),
    allowH2: false,
    pipelining: 1,
    // Shorter than what servers commonly allow: a connection that dies under a write makes its outcome unknown.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    bodyTimeout: 0,
  });

  return {
    request: async (request): Promise<OutboundOutcome> => {
      const target = readTarget(request.url, rule);
      if (target.kind !== 'fit') return { kind: 'not_sent', reason: target.kind };
      const deadlineMs = (request.deadlineSeconds ?? DEADLINE_SECONDS) * 1_000;
      return exchange(agent, {
        method: request.method,
        url: target.url,
        headers: {
          ...sendable(request.headers),
          'user-agent': options.userAgent,
          'accept-encoding': acceptedCodings,
        },
        body: request.body,
        deadlineMs,
        headersMs: Math.max(HEADERS_SECONDS * 1_000, deadlineMs / 2),
        maxBytes: request.maxBytes ?? MAX_BYTES,
        signal: request.signal,
        mayLeave: request.mayLeave,
      });
    },
    close: () => agent.destroy(),
  };
}

/** The connection belongs to the client: who is asked and how the body is framed is not for a caller to say. */
const ours = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'user-agent',
  'accept-encoding',
]);

const sendable = (headers: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {})
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !ours.has(name)),
  );
