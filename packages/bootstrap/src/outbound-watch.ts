import type { OutboundOutcome } from '@switchboard/domain';
import type { OutboundObserver } from '@switchboard/egress';
import type { Logger } from 'pino';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Counts what leaves, and says when a server is left alone. */
export function outboundWatch(registry: Registry, log: Logger): OutboundObserver {
  const requests = new Counter({
    name: 'switchboard_outbound_requests_total',
    help: 'Requests to platforms, by outcome: the status’s class, 429, or why there was no answer.',
    labelNames: ['platform', 'outcome'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'switchboard_outbound_duration_seconds',
    help: 'How long requests to platforms took, with the time that they waited for their turn.',
    labelNames: ['platform'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [registry],
  });
  const openBreakers = new Gauge({
    name: 'switchboard_outbound_servers_resting',
    help: 'Servers that failed again and again and are asked only now and then.',
    registers: [registry],
  });
  return {
    onRequest({ platform, outcome, durationMs }) {
      requests.inc({ platform: platform ?? 'none', outcome: labelOf(outcome) });
      seconds.observe({ platform: platform ?? 'none' }, durationMs / 1000);
    },
    onCircuitChange(origin, state) {
      if (state === 'open') openBreakers.inc();
      else openBreakers.dec();
      log.warn({ origin }, state === 'open' ? 'a server is left alone for a moment' : 'a server is back');
    },
  };
}

function labelOf(outcome: OutboundOutcome): string {
  if (outcome.kind !== 'answered') return `${outcome.kind}_${outcome.reason}`;
  return outcome.status === 429 ? '429' : `${Math.floor(outcome.status / 100)}xx`;
}
