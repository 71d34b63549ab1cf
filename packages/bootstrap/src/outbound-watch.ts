import type { OutboundOutcome } from '@switchboard/domain/ports';
import type { OutboundObserver } from '@switchboard/egress';
import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Tracing } from './tracing.js';

/** Counts outbound requests, and logs changes of circuit breakers. */
export function outboundWatch(
  registry: Registry,
  log: Logger,
  tracing: Pick<Tracing, 'record'> | null = null,
): OutboundObserver {
  const requests = new Counter({
    name: 'switchboard_outbound_requests_total',
    help: 'Requests to platforms, by outcome: the status class, 429, or why no response came.',
    labelNames: ['platform', 'outcome'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'switchboard_outbound_duration_seconds',
    help: 'Duration of requests to platforms, including time in the queue.',
    labelNames: ['platform'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [registry],
  });
  const openBreakers = new Gauge({
    name: 'switchboard_outbound_servers_resting',
    help: 'Servers whose circuit breaker is open.',
    registers: [registry],
  });
  return {
    onRequest({ platform, method, origin, outcome, durationMs }) {
      requests.inc({ platform: platform ?? 'none', outcome: labelOf(outcome) });
      seconds.observe({ platform: platform ?? 'none' }, durationMs / 1000);
      // Of the URL only the host: a path may contain a key.
      tracing?.record({
        name: method ?? 'token request',
        kind: 'client',
        startedMs: performance.now() - durationMs,
        attributes: {
          'http.request.method': method,
          'server.address': hostOf(origin),
          'switchboard.platform': platform ?? undefined,
          'http.response.status_code': outcome.kind === 'answered' ? outcome.status : undefined,
        },
        error: outcome.kind === 'answered' && outcome.status < 400 ? undefined : labelOf(outcome),
      });
    },
    onCircuitChange(origin, state) {
      if (state === 'open') openBreakers.inc();
      else openBreakers.dec();
      log.warn({ origin }, state === 'open' ? 'circuit breaker opened' : 'circuit breaker closed');
    },
  };
}

const hostOf = (url: string): string | undefined => URL.parse(url)?.host;

function labelOf(outcome: OutboundOutcome): string {
  if (outcome.kind !== 'answered') {
    // The label of a metric outlives the name in the code.
    const reason = outcome.reason === 'circuit_open' ? 'resting' : outcome.reason;
    return `${outcome.kind}_${reason}`;
  }
  return outcome.status === 429 ? '429' : `${Math.floor(outcome.status / 100)}xx`;
}
