import type { RemoteAccount } from '../connections/connection.js';
import type { Result } from '../result.js';

/**
 * An authenticated session with one connected account. It signs requests, renews tokens and enforces limits:
 * an adapter never sees a token, the vault or OAuth storage. A 401 causes one renewal and one retry where a
 * double effect is impossible.
 */
export interface Session {
  readonly account: RemoteAccount;
  /** The id of the connect method, where it determines the requests. */
  readonly connectMethod: string;
  /** Origin of the account's server, without a trailing slash. */
  readonly baseUrl: string;
  /** The platform API version of this installation: the manifest's, unless the operator chose another. */
  readonly apiVersion: string | null;
  readonly grantedPermissions: readonly string[];
  /**
   * The resource that the credential itself names, where it does: a webhook's id, the value entered next to a
   * bot's token.
   */
  readonly subject?: string | null | undefined;
  readonly signal: AbortSignal;
  request(request: PlatformRequest): Promise<Result<PlatformResponse, RequestFailureCode>>;
}

export interface PlatformRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Relative to `baseUrl`, beginning with a slash; or an absolute URL on an origin of the manifest. With
   * `omitsCredential` any URL that the platform returned. `KEY_IN_PATH` is the placeholder of a key that the
   * platform expects in the path.
   */
  readonly path: string;
  /** Sent without the credential: to a presigned URL that the platform issued for this one file. */
  readonly omitsCredential?: boolean | undefined;
  /**
   * The scheme of a token in `Authorization`, where one endpoint expects another than RFC 6750's `Bearer`.
   */
  readonly tokenScheme?: 'OAuth' | undefined;
  readonly query?:
    | Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>
    | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly body?: PlatformBody | undefined;
  /**
   * The effect of a request without a response. `read`: none, it may be repeated. `idempotent`: it may be
   * repeated with the same effect. `write`: it may have taken effect, which is `platform.outcome_unknown`.
   */
  readonly effect: 'read' | 'idempotent' | 'write';
  readonly deadlineSeconds?: number | undefined;
  readonly maxBytes?: number | undefined;
  /**
   * Detects a rejected credential where the platform reports it without a 401. The request then had no
   * effect.
   */
  readonly isCredentialRejected?: ((answer: PlatformResponse) => boolean) | undefined;
  /**
   * For a platform that reports with a 401 or a 5xx what others report with a 403 or a 4xx: the adapter then
   * receives and interprets those responses too.
   */
  readonly acceptsErrorStatuses?: boolean | undefined;
}

/**
 * Bytes in memory, or a body too large for it: `stream` is restarted for every attempt and yields exactly
 * `length` bytes.
 */
export type PlatformBody =
  | { readonly type: string; readonly bytes: Uint8Array }
  | { readonly type: string; readonly length: number; stream(): AsyncIterable<Uint8Array> };

/**
 * Any response below 500 except 401 and 429, which the session handles: success, or a rejection for the
 * adapter to interpret. With `acceptsErrorStatuses` 401 and 5xx too.
 */
export interface PlatformResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Undefined when the body is not JSON. */
  readonly json: unknown;
}

export type RequestFailureCode =
  | 'platform.unavailable'
  | 'platform.rate_limited'
  | 'platform.outcome_unknown'
  | 'platform.address_refused'
  | 'platform.invalid_response'
  | 'connection.needs_reauth'
  | 'vault.unavailable'
  | 'vault.unreadable';

/** The failure codes of every ability, in addition to its own. */
export type PlatformFailureCode = RequestFailureCode | 'platform.refused' | 'platform.permission_missing';
