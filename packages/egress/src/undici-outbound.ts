import type { OutboundOutcome, OutboundRequest } from '@switchboard/domain/ports';
import { Agent } from 'undici';
import { requestBudgets } from './request-budgets.js';
import { checkAddress, type AddressProblem } from './check-address.js';
import { circuitBreakers } from './circuit-breakers.js';
import { acceptedCodings } from './decode-body.js';
import { performExchange } from './perform-exchange.js';
import { connectionPools } from './connection-pools.js';
import { guardedConnector } from './guarded-connector.js';
import { systemResolver, type HostResolver } from './guarded-lookup.js';
import { hostAllowList } from './host-allow-list.js';
import { parseTarget } from './parse-target.js';

export interface OutboundOptions {
  /** Hosts, as `host` or `host:port`, that may be private and may be reached without TLS. */
  readonly allowPrivateHosts: readonly string[];
  readonly userAgent: string;
  /** Resolves names to addresses; defaults to the system's resolver. */
  readonly resolve?: HostResolver | undefined;
}

interface OutboundClientOptions extends OutboundOptions {
  readonly observer?: OutboundObserver | undefined;
  /** How long a request waits for its account's rate limit, and for its account's other requests. */
  readonly queueTimeoutMs?: number | undefined;
  readonly concurrencyTimeoutMs?: number | undefined;
  /** The open time of a circuit. */
  readonly breakerOpenMs?: number | undefined;
}

/** Observes every request for metrics and logs. */
export interface OutboundObserver {
  /** `platform` is null for requests that count for no account. */
  onRequest(call: {
    readonly platform: string | null;
    /** Undefined for a call of a library's own client. */
    readonly method: OutboundRequest['method'] | undefined;
    readonly origin: string;
    readonly outcome: OutboundOutcome;
    readonly durationMs: number;
  }): void;
  onCircuitChange(origin: string, state: 'open' | 'closed'): void;
}

const DEADLINE_SECONDS = 20;
const HEADERS_SECONDS = 10;
const MAX_BYTES = 1024 * 1024;

export function undiciOutbound(options: OutboundClientOptions) {
  const allowList = hostAllowList(options.allowPrivateHosts);
  const nowMs = () => performance.now();
  const budgets = requestBudgets({
    nowMs,
    queueTimeoutMs: options.queueTimeoutMs,
    concurrencyTimeoutMs: options.concurrencyTimeoutMs,
  });
  const breakers = circuitBreakers({
    nowMs,
    breakerOpenMs: options.breakerOpenMs,
    onChange: (origin, state) => options.observer?.onCircuitChange(origin, state),
  });
  const createAgent = () =>
    new Agent({
      connect: guardedConnector(allowList, options.resolve ?? systemResolver),
      allowH2: false,
      pipelining: 1,
      // Shorter than the usual server timeout: a connection that closes during a write makes its outcome
      // unknown.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
      bodyTimeout: 0,
    });
  const unpooledAgent = createAgent();
  const pooledAgents = connectionPools(createAgent);

  async function send(url: URL, request: OutboundRequest): Promise<OutboundOutcome> {
    const permit = breakers.acquire(url.origin);
    if (permit.kind === 'refused')
      return { kind: 'not_sent', reason: 'circuit_open', retryAfterSeconds: permit.retryAfterSeconds };
    const deadlineMs = (request.deadlineSeconds ?? DEADLINE_SECONDS) * 1_000;
    const { pool } = request;
    let outcome: OutboundOutcome = { kind: 'not_sent', reason: 'aborted' };
    try {
      outcome = await performExchange(pool === undefined ? unpooledAgent : pooledAgents.get(pool), {
        method: request.method,
        url,
        keyInPath: request.keyInPath,
        keyInQuery: request.keyInQuery,
        headers: {
          'user-agent': options.userAgent,
          ...selectHeaders(request.headers),
          'accept-encoding': acceptedCodings,
        },
        body: request.body,
        deadlineMs,
        headersMs: Math.max(HEADERS_SECONDS * 1_000, deadlineMs / 2),
        maxBytes: request.maxBytes ?? MAX_BYTES,
        closesConnection: pool === undefined,
        signal: request.signal,
        maySend: request.maySend,
      });
      return outcome;
    } finally {
      permit.settle(outcome);
    }
  }

  async function sendWithinBudget(url: URL, request: OutboundRequest): Promise<OutboundOutcome> {
    if (!request.budget) return send(url, request);
    const admission = await budgets.acquire(request.budget, request.signal);
    if (admission.kind === 'aborted') return { kind: 'not_sent', reason: 'aborted' };
    if (admission.kind === 'refused')
      return { kind: 'not_sent', reason: 'over_budget', retryAfterSeconds: admission.retryAfterSeconds };
    let outcome: OutboundOutcome = { kind: 'not_sent', reason: 'aborted' };
    try {
      outcome = await send(url, request);
      return outcome;
    } finally {
      admission.release(outcome);
    }
  }

  return {
    async request(request: OutboundRequest): Promise<OutboundOutcome> {
      const target = parseTarget(request.url, allowList);
      const startedMs = nowMs();
      const outcome: OutboundOutcome =
        target.kind === 'fit'
          ? await sendWithinBudget(target.url, request)
          : { kind: 'not_sent', reason: target.kind };
      options.observer?.onRequest({
        platform: request.budget?.platform ?? null,
        method: request.method,
        origin: target.kind === 'fit' ? target.url.origin : '',
        outcome,
        durationMs: nowMs() - startedMs,
      });
      return outcome;
    },
    /**
     * Runs a call of a library's own client: under the circuit breaker of its server, and counted with the
     * other requests. `act` returns the outcome.
     */
    async guardCall<Value>(
      { platform, origin }: { readonly platform: string; readonly origin: string },
      act: () => Promise<{ readonly value: Value; readonly outcome: OutboundOutcome }>,
    ): Promise<
      | { readonly kind: 'acted'; readonly value: Value }
      | { readonly kind: 'not_sent'; readonly retryAfterSeconds: number }
    > {
      const startedMs = nowMs();
      const reportRequest = (outcome: OutboundOutcome) =>
        options.observer?.onRequest({
          platform,
          method: undefined,
          origin,
          outcome,
          durationMs: nowMs() - startedMs,
        });
      const passed = breakers.acquire(origin);
      if (passed.kind === 'refused') {
        const { retryAfterSeconds } = passed;
        reportRequest({ kind: 'not_sent', reason: 'circuit_open', retryAfterSeconds });
        return { kind: 'not_sent', retryAfterSeconds };
      }
      let outcomeToRecord: OutboundOutcome = { kind: 'unknown', reason: 'aborted' };
      try {
        const { value, outcome } = await act();
        outcomeToRecord = outcome;
        return { kind: 'acted', value };
      } finally {
        passed.settle(outcomeToRecord);
        reportRequest(outcomeToRecord);
      }
    },
    /**
     * Checks a URL against the same rules: null when requests are allowed, `dns` when its name cannot be
     * resolved. For a URL that a browser is redirected to.
     */
    checkAddress: (url: string): Promise<AddressProblem | null> =>
      checkAddress(url, allowList, options.resolve ?? systemResolver),
    close: async () => void (await Promise.all([unpooledAgent.destroy(), pooledAgents.destroy()])),
  };
}

/** The client owns the connection: callers cannot set the host or the framing of the body. */
const reservedHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
]);

const selectHeaders = (headers: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {})
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !reservedHeaders.has(name)),
  );
