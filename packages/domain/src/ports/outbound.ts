import type { Secret } from '../secret.js';

/**
 * The one way out. Every request has a deadline and a size cap, follows no redirect, and never reaches a private,
 * loopback, link-local or metadata address in any spelling unless the operator allowed that host: a name is resolved
 * once, every address is checked, and the checked address is dialled.
 */
export interface Outbound {
  request(request: OutboundRequest): Promise<OutboundOutcome>;
}

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Where a key belongs into its path `KEY_IN_PATH` stands instead, so that it may be told to anybody. */
  readonly url: string;
  /** The key that goes out in that place. */
  readonly keyInPath?: Secret | undefined;
  /** A `user-agent` takes the place of ours. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | OutboundStream | undefined;
  /** For everything, from the name look-up to the last byte. Default 20. */
  readonly deadlineSeconds?: number | undefined;
  /** Largest body to read, in bytes after decompression. Default 1 MiB. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whose allowance at a platform it uses up. Without one it counts for nobody. */
  readonly budget?: OutboundBudget | undefined;
  /** Requests of one pool use each other's connections again. Without one, the connection is for this request alone. */
  readonly pool?: string | undefined;
  /** Asked immediately before the first byte leaves; where it says no, none does, and the outcome is `not_sent`. */
  readonly maySend?: (() => boolean) | undefined;
}

/**
 * What one account may ask of its platform, over all calls of this process. A request that would be too much waits a moment
 * and is then refused as `over_budget`. A 429, or a 503 that says when to come back, holds back all requests of the key.
 */
export interface OutboundBudget {
  readonly key: string;
  /** The platform's id, for the numbers. */
  readonly platform: string;
  /** Requests at once. */
  readonly concurrent: number;
  /** Requests in a minute, a sixth of them at once; null where the platform's own refusals are the only measure. */
  readonly perMinute: number | null;
}

/** A body that is too large to be at hand: begun anew for every request, and exactly `length` bytes. */
export interface OutboundStream {
  readonly length: number;
  stream(): AsyncIterable<Uint8Array>;
}

export type OutboundOutcome =
  | OutboundResponse
  /** It is certain that no byte of the request left. */
  | {
      readonly kind: 'not_sent';
      readonly reason:
        | 'address_refused'
        | 'dns'
        | 'connect'
        | 'tls'
        | 'aborted'
        | 'invalid_url'
        /** The account has used up what it may, or was told to wait. */
        | 'over_budget'
        /** The server has not answered for some time, and is left alone for a moment. */
        | 'resting';
      /** Of the last two: when it may be worth another try. */
      readonly retryAfterSeconds?: number | undefined;
    }
  /** Bytes left and no whole answer came: it may have happened. */
  | {
      readonly kind: 'unknown';
      readonly reason: 'timeout' | 'reset' | 'truncated' | 'too_large' | 'aborted' | 'protocol';
    };

export interface OutboundResponse {
  readonly kind: 'answered';
  readonly status: number;
  /** Names in lower case; several values of one name joined by a comma, but `set-cookie` is left out. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}
