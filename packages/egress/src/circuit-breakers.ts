import type { OutboundOutcome } from '@switchboard/domain/ports';

type CircuitPermit =
  | { readonly kind: 'passed'; settle(outcome: OutboundOutcome): void }
  | { readonly kind: 'refused'; readonly retryAfterSeconds: number };

interface CircuitState {
  failures: number;
  openUntilMs: number;
  isProbing: boolean;
}

const FAILURES_MAX = 5;
const OPEN_MS = 10_000;
const ORIGINS_MAX = 10_000;

/** One circuit breaker per origin. A request refused here was certainly not sent. */
export function circuitBreakers({
  nowMs,
  breakerOpenMs = OPEN_MS,
  onChange,
}: {
  readonly nowMs: () => number;
  readonly breakerOpenMs?: number | undefined;
  readonly onChange?: ((origin: string, state: 'open' | 'closed') => void) | undefined;
}) {
  // Only origins with recent failures are stored.
  const failing = new Map<string, CircuitState>();
  const isOpen = ({ failures }: CircuitState) => failures >= FAILURES_MAX;

  function settle(origin: string, probe: boolean, outcome: OutboundOutcome): void {
    const health = classifyHealth(outcome);
    const circuit = failing.get(origin);
    if (circuit && probe) circuit.isProbing = false;
    if (health === 'well') {
      if (circuit && isOpen(circuit)) onChange?.(origin, 'closed');
      failing.delete(origin);
    } else if (health === 'ill') {
      const unhealthyCircuit = circuit ?? trackOrigin(origin);
      unhealthyCircuit.failures += 1;
      if (!isOpen(unhealthyCircuit)) return;
      // Responses to requests that were already in flight do not extend the open time.
      if (probe || unhealthyCircuit.failures === FAILURES_MAX)
        unhealthyCircuit.openUntilMs = nowMs() + breakerOpenMs;
      if (unhealthyCircuit.failures === FAILURES_MAX) onChange?.(origin, 'open');
    }
  }

  function trackOrigin(origin: string): CircuitState {
    const [oldest] = failing.keys();
    if (failing.size >= ORIGINS_MAX && oldest !== undefined) failing.delete(oldest);
    const circuit = { failures: 0, openUntilMs: 0, isProbing: false };
    failing.set(origin, circuit);
    return circuit;
  }

  return {
    acquire(origin: string): CircuitPermit {
      const circuit = failing.get(origin);
      const createPermit = (probe: boolean): CircuitPermit => ({
        kind: 'passed',
        settle: (outcome) => settle(origin, probe, outcome),
      });
      if (!circuit || !isOpen(circuit)) return createPermit(false);
      const remainingMs = circuit.openUntilMs - nowMs();
      if (remainingMs > 0 || circuit.isProbing)
        return { kind: 'refused', retryAfterSeconds: Math.max(1, Math.ceil(remainingMs / 1_000)) };
      circuit.isProbing = true;
      return createPermit(true);
    },
  };
}

/** What an outcome reveals about the server. Local aborts and oversized responses reveal nothing. */
function classifyHealth(outcome: OutboundOutcome): 'well' | 'ill' | 'unsaid' {
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
