import type { Outbound, OutboundOutcome, OutboundRequest } from '@switchboard/domain';
import { Agent } from 'undici';
import { isPublicAddress } from './addresses.js';
import { budgets } from './budgets.js';
import { circuits } from './circuits.js';
import { acceptedCodings } from './decode-body.js';
import { exchange } from './exchange.js';
import { guardedConnector } from './guarded-connector.js';
import { systemResolve, type Resolve } from './guarded-lookup.js';
import { hostRule } from './host-rule.js';
import { pools } from './pools.js';
import { portOf, readTarget } from './target.js';

export interface OutboundOptions {
  /** Hosts, as `host` or `host:port`, that may be private and may be reached without TLS. */
  readonly allowPrivateHosts: readonly string[];
  readonly userAgent: string;
  /** How names become addresses; the system's resolver unless given. */
  readonly resolve?: Resolve | undefined;
}

export interface OutboundClientOptions extends OutboundOptions {
  readonly watch?: OutboundWatch | undefined;
  /** How long a request waits for the time when its account may ask again, and for its account's other requests. */
  readonly patienceMs?: number | undefined;
  readonly placeMs?: number | undefined;
  /** How long a server is left alone that has failed again and again. */
  readonly restMs?: number | undefined;
}

/** Told of every request, for the numbers and the log. */
export interface OutboundWatch {
  /** `platform` is null for what counts for no account. */
  left(call: {
    readonly platform: string | null;
    readonly outcome: OutboundOutcome;
    readonly durationMs: number;
  }): void;
  rests(origin: string, state: 'open' | 'closed'): void;
}

const DEADLINE_SECONDS = 20;
const HEADERS_SECONDS = 10;
const MAX_BYTES = 1024 * 1024;

export interface UndiciOutbound extends Outbound {
  /**
   * A call that a library makes with a client of its own: under the circuit of its server, and counted with the others. What
   * it came to is for `act` to say.
   */
  attend<Value>(
    call: { readonly platform: string; readonly origin: string },
    act: () => Promise<{ readonly value: Value; readonly outcome: OutboundOutcome }>,
  ): Promise<
    | { readonly kind: 'acted'; readonly value: Value }
    | { readonly kind: 'resting'; readonly retryAfterSeconds: number }
  >;
  /**
   * Whether requests may go to this URL, by the same rules: null when they may, and `dns` when its name cannot be looked up. For
   * a URL that a browser is sent to.
   */
  checkAddress(url: string): Promise<'invalid_url' | 'address_refused' | 'dns' | null>;
  close(): Promise<void>;
}

export function undiciOutbound(options: OutboundClientOptions): UndiciOutbound {
  const rule = hostRule(options.allowPrivateHosts);
  const nowMs = () => performance.now();
  const allowances = budgets({ nowMs, patienceMs: options.patienceMs, placeMs: options.placeMs });
  const servers = circuits({
    nowMs,
    restMs: options.restMs,
    onChange: (origin, state) => options.watch?.rests(origin, state),
  });
  const agent = () =>
    new Agent({
      connect: guardedConnector(rule, options.resolve ?? systemResolve),
      allowH2: false,
      pipelining: 1,
      // Shorter than what servers commonly allow: a connection that dies under a write makes its outcome unknown.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
      bodyTimeout: 0,
    });
  const alone = agent();
  const shared = pools(agent);

  async function send(url: URL, request: OutboundRequest): Promise<OutboundOutcome> {
    const passed = servers.pass(url.origin);
    if (passed.kind === 'refused')
      return { kind: 'not_sent', reason: 'resting', retryAfterSeconds: passed.retryAfterSeconds };
    const deadlineMs = (request.deadlineSeconds ?? DEADLINE_SECONDS) * 1_000;
    const { pool } = request;
    let outcome: OutboundOutcome = { kind: 'not_sent', reason: 'aborted' };
    try {
      outcome = await exchange(pool === undefined ? alone : shared.of(pool), {
        method: request.method,
        url,
        keyInPath: request.keyInPath,
        headers: {
          'user-agent': options.userAgent,
          ...sendable(request.headers),
          'accept-encoding': acceptedCodings,
        },
        body: request.body,
        deadlineMs,
        headersMs: Math.max(HEADERS_SECONDS * 1_000, deadlineMs / 2),
        maxBytes: request.maxBytes ?? MAX_BYTES,
        closes: pool === undefined,
        signal: request.signal,
        mayLeave: request.mayLeave,
      });
      return outcome;
    } finally {
      passed.settle(outcome);
    }
  }

  async function sendInTurn(url: URL, request: OutboundRequest): Promise<OutboundOutcome> {
    if (!request.budget) return send(url, request);
    const entered = await allowances.enter(request.budget, request.signal);
    if (entered.kind === 'aborted') return { kind: 'not_sent', reason: 'aborted' };
    if (entered.kind === 'refused')
      return { kind: 'not_sent', reason: 'over_budget', retryAfterSeconds: entered.retryAfterSeconds };
    let outcome: OutboundOutcome = { kind: 'not_sent', reason: 'aborted' };
    try {
      outcome = await send(url, request);
      return outcome;
    } finally {
      entered.leave(outcome);
    }
  }

  return {
    async request(request) {
      const target = readTarget(request.url, rule);
      const began = nowMs();
      const outcome: OutboundOutcome =
        target.kind === 'fit'
          ? await sendInTurn(target.url, request)
          : { kind: 'not_sent', reason: target.kind };
      options.watch?.left({
        platform: request.budget?.platform ?? null,
        outcome,
        durationMs: nowMs() - began,
      });
      return outcome;
    },
    async attend({ platform, origin }, act) {
      const began = nowMs();
      const tell = (outcome: OutboundOutcome) =>
        options.watch?.left({ platform, outcome, durationMs: nowMs() - began });
      const passed = servers.pass(origin);
      if (passed.kind === 'refused') {
        const { retryAfterSeconds } = passed;
        tell({ kind: 'not_sent', reason: 'resting', retryAfterSeconds });
        return { kind: 'resting', retryAfterSeconds };
      }
      let came: OutboundOutcome = { kind: 'unknown', reason: 'aborted' };
      try {
        const { value, outcome } = await act();
        came = outcome;
        return { kind: 'acted', value };
      } finally {
        passed.settle(came);
        tell(came);
      }
    },
    async checkAddress(text) {
      const target = readTarget(text, rule);
      if (target.kind !== 'fit') return target.kind;
      const { hostname } = target.url;
      if (rule.allows(hostname, portOf(target.url))) return null;
      const addresses = await (options.resolve ?? systemResolve)(hostname).catch(() => []);
      if (addresses.length === 0) return 'dns';
      return addresses.every(isPublicAddress) ? null : 'address_refused';
    },
    close: async () => void (await Promise.all([alone.destroy(), shared.destroy()])),
  };
}

/** The connection belongs to the client: who is asked and how the body is framed is not for a caller to say. */
const ours = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding']);

const sendable = (headers: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers ?? {})
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !ours.has(name)),
  );
