import type { Ports } from '@switchboard/domain/ports';
import type { Dispatch, CallObserver } from '@switchboard/operations';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { Keyring } from './keyring.js';
import type { ProcessRecord } from './process-records.js';
import type { Tracing } from './tracing.js';

/** The wired service that an app drives. Created by `startService`, ended by `close`. */
export interface Service {
  readonly config: Config;
  readonly log: Logger;
  readonly ports: Ports;
  readonly dispatch: Dispatch;
  readonly observer: CallObserver;
  /** Null without an exporter. Operations, work and outbound requests are traced already. */
  readonly tracing: Tracing | null;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /**
   * Whether every dependency of a request is available: the database, a schema that this version knows, a
   * decryptable vault, the matching media store.
   */
  ready(): Promise<Readiness>;
  readonly keyring: Keyring;
  /** Resolves when the embedded database is stopped deliberately: the process should exit then. */
  readonly databaseStopped: Promise<void>;
  /**
   * The documents that AT Protocol servers fetch to identify this client; null while the public URL is
   * loopback.
   */
  readonly atproto: { clientMetadata(): object | null; jwks(): Promise<object> };
  /** What the OAuth authorization server of MCP clients needs besides the ports. */
  readonly oauth: {
    /** `fetch` through the guarded client: for small documents at public addresses, without redirects. */
    readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
    onRequest(endpoint: string, outcome: string): void;
  };
  /** Random for each process; `/healthz` returns it. */
  readonly instanceId: string;
  /** To be called when the process listens: records it in the data directory until `close`. */
  announce(app: ProcessRecord['app']): Promise<void>;
  /**
   * The first step of stopping: `ready` is false from now on. Resolves when load balancers have had the configured time to
   * notice; until then every request is served.
   */
  leave(): Promise<void>;
  /** Before `close`: cancels queued media, so that the requests behind it receive a response at once. */
  drain(): void;
  close(): Promise<void>;
}

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or a short reason. Without `notices` every request is served, only with more database queries. */
  readonly checks: Readonly<Record<'database' | 'schema' | 'vault' | 'media' | 'notices', string>> & {
    readonly process?: 'stopping';
  };
}
