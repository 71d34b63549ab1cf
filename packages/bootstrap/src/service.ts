import type { Call, Ports } from '@switchboard/domain';
import type { Dispatch, Observer } from '@switchboard/operations';
import type { Logger } from 'pino';
import type { Config } from './config.js';

/** The service, wired: what an app drives. Made by `assemble`, ended by `close`. */
export interface Service {
  readonly config: Config;
  readonly log: Logger;
  readonly ports: Ports;
  readonly dispatch: Dispatch;
  readonly observer: Observer;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /** Whether everything that a request needs is there: the database, a schema this version knows, an open vault. */
  ready(): Promise<Readiness>;
  /** A call of the service's own (hosted pages), not of a key. */
  systemCall(workspaceId: Call['workspaceId'], name: string, requestId: string, signal: AbortSignal): Call;
  /** What AT Protocol servers fetch to know this client; null while the public URL is loopback. */
  readonly atproto: { clientMetadata(): object; jwks(): Promise<object> } | null;
  close(): Promise<void>;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<'database' | 'schema' | 'vault', 'ok' | string>>;
}
