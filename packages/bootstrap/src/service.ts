import type { Ports } from '@switchboard/domain';
import type { Dispatch, CallObserver } from '@switchboard/operations';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { Keyring } from './keyring.js';

/** The service, wired: what an app drives. Made by `startService`, ended by `close`. */
export interface Service {
  readonly config: Config;
  readonly log: Logger;
  readonly ports: Ports;
  readonly dispatch: Dispatch;
  readonly observer: CallObserver;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /** Whether everything that a request needs is there: the database, a schema this version knows, an open vault, the store that media lie in. */
  ready(): Promise<Readiness>;
  readonly keyring: Keyring;
  /** Resolves when somebody stopped the embedded database deliberately: the process should end then. */
  readonly databaseStopped: Promise<void>;
  /** What AT Protocol servers fetch to know this client; null while the public URL is loopback. */
  readonly atproto: { clientMetadata(): object | null; jwks(): Promise<object> };
  /** Before `close`: media that waits for its turn is given up, so that the requests behind it are answered at once. */
  drain(): void;
  close(): Promise<void>;
}

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or why not in a word or two. Without `notices` everything is served, only with more questions to the database. */
  readonly checks: Readonly<Record<'database' | 'schema' | 'vault' | 'media' | 'notices', string>>;
}
