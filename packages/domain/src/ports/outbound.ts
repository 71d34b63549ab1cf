import type { Secret } from '../secret.js';

/**
 * The only exit for outbound requests. Every request has a deadline and a size cap, follows no redirect, and
 * never reaches a private, loopback, link-local or metadata address in any spelling unless the operator
 * allowed that host: a name is resolved once, every address is checked, and the connection uses the checked
 * address.
 */
export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundOutcome>;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Contains `KEY_IN_PATH` in place of a key in the path, so that it is safe to log. */
  readonly url: string;
  /** The key that replaces this placeholder. */
  readonly keyInPath?: Secret | undefined;
  /** The key that is added to the query, which `url` does not contain. */
  readonly keyInQuery?: { readonly name: string; readonly key: Secret } | undefined;
  /** A `user-agent` replaces the default one. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | OutboundStream | undefined;
  /** For the whole request, from the name lookup to the last byte. Default 20. */
  readonly deadlineSeconds?: number | undefined;
  /** Largest body to read, in bytes after decompression. Default 1 MiB. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The rate budget that the request consumes. Without one it counts against none. */
  readonly budget?: OutboundBudget | undefined;
  /**
   * Requests of one pool reuse each other's connections. Without one, the connection is used for this request
   * only.
   */
  readonly pool?: string | undefined;
  /**
   * Called immediately before the first byte is sent; if it returns false, nothing is sent, and the outcome
   * is `not_sent`.
   */
  readonly maySend?: (() => boolean) | undefined;
}

/**
 * The rate limit of one account at its platform, over all calls of this process. A request beyond it waits
 * briefly and is then rejected as `over_budget`. A 429, or a 503 with a retry time, delays all requests of
 * the key.
 */
export interface OutboundBudget {
  readonly key: string;
  /** The platform's id, for metrics. */
  readonly platform: string;
  readonly concurrent: number;
  /** Requests per minute, with a burst of a sixth; null where only the platform's own rejections limit. */
  readonly perMinute: number | null;
}

/** A body too large for memory: restarted for every request, with exactly `length` bytes. */
interface OutboundStream {
  readonly length: number;
  stream(): AsyncIterable<Uint8Array>;
}

export type OutboundOutcome =
  | OutboundResponse
  /** Guaranteed that no byte of the request was sent. */
  | {
      readonly kind: 'not_sent';
      readonly reason:
        | 'address_refused'
        | 'dns'
        | 'connect'
        | 'tls'
        | 'aborted'
        | 'invalid_url'
        /** The account has used up its rate budget, or must wait. */
        | 'over_budget'
        /** The circuit breaker of the server is open after repeated failures. */
        | 'circuit_open';
      /** For the last two: when a retry may succeed. */
      readonly retryAfterSeconds?: number | undefined;
    }
  /** Bytes were sent and no complete response arrived: it may have taken effect. */
  | {
      readonly kind: 'unknown';
      readonly reason: 'timeout' | 'reset' | 'truncated' | 'too_large' | 'aborted' | 'protocol';
    };

export interface OutboundResponse {
  readonly kind: 'answered';
  readonly status: number;
  /** Names in lower case; several values of one name joined by a comma, without `set-cookie`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
