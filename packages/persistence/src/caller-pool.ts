import pg from 'pg';
import { currentCaller, type CallerScope } from './caller-scope.js';
import { sendCancelRequest } from './cancel-request.js';
import { createConnectionShares } from './create-connection-shares.js';
import { createQueryCanceledError } from './create-query-canceled-error.js';

/** How long one statement may take before PostgreSQL ends it (`statement_timeout`), its waits for locks included. */
export interface StatementTimeouts {
  /** Of what an API caller waits for. */
  readonly callerMs: number;
  /** Of the worker, the command line, and everything else that no caller waits for. */
  readonly backgroundMs: number;
}

export interface CallerPoolOptions {
  readonly connectionString: string;
  /** Connections. */
  readonly max: number;
  readonly timeouts: StatementTimeouts;
}

/**
 * After a disconnect a statement may go on for this long: nearly all end by themselves, so that a client that connects and
 * disconnects again and again causes no cancel requests.
 */
const GRACE_MS = 250;
/** Of a pool's connections: what the callers of one workspace may hold, and what is never lent to callers. */
const WORKSPACE_SHARE = 0.4;
const RESERVED = 2;

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/**
 * A pool that knows on whose behalf a connection is taken (`currentCaller`). Connections of callers count against the share of
 * their workspace, have the statement timeout of callers, and have their statement cancelled once the caller has disconnected.
 */
export class CallerPool extends pg.Pool {
  readonly #timeouts: StatementTimeouts;
  readonly #shares;
  /** The `statement_timeout` that a connection has, where it is not that of the background. */
  readonly #timeoutOf = new WeakMap<pg.ClientBase, number>();

  constructor({ connectionString, max, timeouts }: CallerPoolOptions) {
    // Prisma's adapter writes times without a zone and means UTC.
    super({
      connectionString,
      max,
      options: `-c TimeZone=UTC -c statement_timeout=${timeouts.backgroundMs}`,
    });
    this.#timeouts = timeouts;
    this.#shares = createConnectionShares({
      total: Math.max(1, max - RESERVED),
      perWorkspace: Math.max(1, Math.floor(max * WORKSPACE_SHARE)),
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    // `query` of the pool asks with a callback, for one statement; a transaction without.
    const checkedOut = this.#checkOut(currentCaller(), callback === undefined);
    if (!callback) return checkedOut;
    checkedOut.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: unknown) => callback(error as Error, undefined, () => undefined),
    );
  }

  async #checkOut(caller: CallerScope | undefined, isTransaction: boolean): Promise<pg.PoolClient> {
    if (!caller) return this.#withTimeout(await super.connect(), this.#timeouts.backgroundMs);
    const { workspaceId, signal } = caller;
    // What must not stop half-way is given its time in transactions, where it is recorded what became of an effect.
    const timeoutMs =
      isTransaction && signal === null ? this.#timeouts.backgroundMs : this.#timeouts.callerMs;
    // A query beside a transaction of the same caller: to wait for its own transaction would be a deadlock.
    const releaseShare =
      caller.transactions > 0
        ? () => undefined
        : await this.#shares.acquire(workspaceId, { timeoutMs: this.#timeouts.callerMs, signal });
    if (isTransaction) caller.transactions += 1;
    const returnConnection = () => {
      if (isTransaction) caller.transactions -= 1;
      releaseShare();
    };
    let client: pg.PoolClient;
    try {
      client = await this.#withTimeout(await super.connect(), timeoutMs);
    } catch (error) {
      returnConnection();
      throw error;
    }
    const canceller = signal && cancelWhenAborted(client, signal);
    const release = client.release.bind(client);
    client.release = (error) => {
      returnConnection();
      // A cancel request may arrive late: what runs on this connection next would be cancelled in its place.
      release(canceller?.stop() === 'cancelled' ? true : error);
    };
    if (signal?.aborted) {
      client.release();
      throw createQueryCanceledError('the caller has disconnected');
    }
    return client;
  }

  async #withTimeout(client: pg.PoolClient, timeoutMs: number): Promise<pg.PoolClient> {
    if ((this.#timeoutOf.get(client) ?? this.#timeouts.backgroundMs) === timeoutMs) return client;
    try {
      await client.query(`SET statement_timeout = ${timeoutMs}`);
    } catch (error) {
      client.release(true);
      throw error;
    }
    this.#timeoutOf.set(client, timeoutMs);
    return client;
  }
}

/** What `pg` knows of a connection and does not declare: the statement that runs, null when none does. */
interface ActiveQuery {
  readonly _activeQuery?: { readonly text?: string } | null;
}

/** The end of a transaction is not cancelled: it would be unknown whether it was committed. */
const endsTransaction = (statement: string | undefined): boolean =>
  statement !== undefined && /^\s*(commit|rollback)\b/i.test(statement);

/** Cancels what runs on this connection, again and again until it is released, from `GRACE_MS` after the abort on. */
function cancelWhenAborted(client: pg.PoolClient, signal: AbortSignal) {
  let timer: NodeJS.Timeout | undefined;
  let state: 'untouched' | 'cancelled' = 'untouched';
  const cancel = () => {
    const { _activeQuery: active } = client as unknown as ActiveQuery;
    if (active === null || endsTransaction(active?.text)) return;
    state = 'cancelled';
    sendCancelRequest(client);
  };
  const onAbort = () => {
    timer ??= setInterval(cancel, GRACE_MS);
  };
  signal.addEventListener('abort', onAbort);
  return {
    stop() {
      signal.removeEventListener('abort', onAbort);
      clearInterval(timer);
      return state;
    },
  };
}
