import type { OutboundOutcome } from '@switchboard/domain';

export type Passed =
  | { readonly kind: 'passed'; settle(outcome: OutboundOutcome): void }
  | { readonly kind: 'refused'; readonly retryAfterSeconds: number };

/** Servers that fail again and again are left alone for a moment, each for itself. What is refused here was certainly not sent. */
export interface Circuits {
  pass(origin: string): Passed;
}

interface Circuit {
  failures: number;
  restsUntilMs: number;
  probing: boolean;
}

const FAILURES_MAX = 5;
const REST_MS = 10_000;
const ORIGINS_KEPT = 10_000;

export function circuits({
  nowMs,
  restMs = REST_MS,
  onChange,
}: {
  readonly nowMs: () => number;
  readonly restMs?: number | undefined;
  readonly onChange?: ((origin: string, state: 'open' | 'closed') => void) | undefined;
}): Circuits {
  // Only servers that have just failed are remembered.
  const failing = new Map<string, Circuit>();
  const isOpen = ({ failures }: Circuit) => failures >= FAILURES_MAX;

  function settle(origin: string, probe: boolean, outcome: OutboundOutcome): void {
    const health = healthIn(outcome);
    const circuit = failing.get(origin);
    if (circuit && probe) circuit.probing = false;
    if (health === 'well') {
      if (circuit && isOpen(circuit)) onChange?.(origin, 'closed');
      failing.delete(origin);
    } else if (health === 'ill') {
      const ill = circuit ?? remember(origin);
      ill.failures += 1;
      if (!isOpen(ill)) return;
      // Answers of requests that were on their way already do not lengthen the rest.
      if (probe || ill.failures === FAILURES_MAX) ill.restsUntilMs = nowMs() + restMs;
      if (ill.failures === FAILURES_MAX) onChange?.(origin, 'open');
    }
  }

  function remember(origin: string): Circuit {
    const [oldest] = failing.keys();
    if (failing.size >= ORIGINS_KEPT && oldest !== undefined) failing.delete(oldest);
    const circuit = { failures: 0, restsUntilMs: 0, probing: false };
    failing.set(origin, circuit);
    return circuit;
  }

  return {
    pass(origin) {
      const circuit = failing.get(origin);
      const passed = (probe: boolean): Passed => ({
        kind: 'passed',
        settle: (outcome) => settle(origin, probe, outcome),
      });
      if (!circuit || !isOpen(circuit)) return passed(false);
      const restsMs = circuit.restsUntilMs - nowMs();
      if (restsMs > 0 || circuit.probing)
        return { kind: 'refused', retryAfterSeconds: Math.max(1, Math.ceil(restsMs / 1_000)) };
      circuit.probing = true;
      return passed(true);
    },
  };
}

/** What an outcome says of the server. Our own doing, and an answer that was merely too large, say nothing. */
function healthIn(outcome: OutboundOutcome): 'well' | 'ill' | 'unsaid' {
  if (outcome.kind === 'answered') return outcome.status < 500 ? 'well' : 'ill';
  switch (outcome.reason) {
    case 'dns':
    case 'connect':
    case 'tls':
    case 'timeout':
    case 'reset':
    case 'truncated':
    case 'protocol':
      return 'ill';
    default:
      return 'unsaid';
  }
}
