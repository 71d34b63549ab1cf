import pg from 'pg';
import net from 'node:net';
import { currentCaller, type CallerScope } from './caller-scope.js';
import { createConnectionShares } from './create-connection-shares.js';
import { endsTransaction, observedClient, type StatementObserver } from './observed-client.js';
import { reportConnection } from './raw-statements.js';
import { createQueryCanceledError } from './create-query-canceled-error.js';

/**
 * How long one statement may take before PostgreSQL cancels it (`statement_timeout`), including lock waits.
 */
export interface StatementTimeouts {
  /** For statements that an API caller waits for. */
  readonly callerMs: number;
  /** For the worker, the command line, and all other statements without a waiting caller. */
  readonly backgroundMs: number;
}

interface CallerPoolOptions {
  readonly connectionString: string;
  /** The maximum number of connections. */
  readonly max: number;
  readonly timeouts: StatementTimeouts;
  /** Observes each statement when it has ended. */
  readonly onStatement?: StatementObserver | undefined;
  /**
   * Whether a transaction pooler is in between: consecutive transactions of a connection then run in any session. Nothing may
   * be set in the session except what every pooler tracks for its clients.
   */
  readonly isPooled: boolean;
}

/**
 * How long a statement may continue after a disconnect: nearly all complete by themselves, so a client that
 * connects and disconnects repeatedly causes no cancel requests.
 */
const GRACE_MS = 250;
/**
 * The share of a pool's connections that the callers of one workspace may hold, and the number reserved for
 * work without a caller.
 */
const WORKSPACE_SHARE = 0.4;
const RESERVED = 2;

/**
 * One process for each statement: starting parallel workers takes 10 ms, more than a page takes, and an
 * expensive statement of one caller should occupy one core.
 */
const ONE_PROCESS = '-c max_parallel_workers_per_gather=0';

/** The pool waits for it, which its types do not say. */
const useUtc = (client: pg.ClientBase) => client.query(`SET TimeZone = 'UTC'`);

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/**
 * A pool that attributes each connection to a caller (`currentCaller`). Connections of callers count against
 * the share of their workspace, use the statement timeout of callers, and have their statement cancelled
 * after the caller disconnects.
 */
export class CallerPool extends pg.Pool {
  readonly #timeouts: StatementTimeouts;
  readonly #isPooled: boolean;
  readonly #shares;
  /** The `statement_timeout` of a connection, where it differs from the background timeout. */
  readonly #timeoutOf = new WeakMap<pg.ClientBase, number>();

  constructor({ connectionString, max, timeouts, onStatement, isPooled }: CallerPoolOptions) {
    // Prisma's adapter writes times without a zone and means UTC.
    super({
      connectionString,
      max,
      ...(onStatement && { Client: observedClient(onStatement) }),
      ...(isPooled
        ? { onConnect: useUtc as (client: pg.ClientBase) => void }
        : { options: `-c TimeZone=UTC -c statement_timeout=${timeouts.backgroundMs} ${ONE_PROCESS}` }),
    });
    this.#timeouts = timeouts;
    this.#isPooled = isPooled;
    this.#shares = createConnectionShares({
      total: Math.max(1, max - RESERVED),
      perWorkspace: Math.max(1, Math.floor(max * WORKSPACE_SHARE)),
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    // `pool.query` passes a callback, for one statement; a transaction passes none.
    const checkedOut = this.#checkOut(currentCaller(), callback === undefined);
    if (!callback) return reportConnection(checkedOut);
    checkedOut.then(
      (client) => callback(undefined, client, (error) => client.release(error)),
      (error: unknown) => callback(error as Error, undefined, () => undefined),
    );
  }

  async #checkOut(caller: CallerScope | undefined, isTransaction: boolean): Promise<pg.PoolClient> {
    if (!caller) {
      const { backgroundMs } = this.#timeouts;
      const client = await this.#withTimeout(await super.connect(), backgroundMs);
      return this.#isPooled ? releaseWith(client, cancelOverdue(client, backgroundMs)) : client;
    }
    const { workspaceId, signal } = caller;
    // Work that must complete has the background timeout in transactions, which record the outcome of an
    // effect.
    const timeoutMs =
      isTransaction && signal === null ? this.#timeouts.backgroundMs : this.#timeouts.callerMs;
    // A query beside a transaction of the same caller: waiting for its own transaction would be a deadlock.
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
    if (signal) releaseWith(client, cancelWhenAborted(client, signal));
    if (this.#isPooled) releaseWith(client, cancelOverdue(client, timeoutMs));
    const release = client.release.bind(client);
    client.release = (error) => {
      returnConnection();
      release(error);
    };
    if (signal?.aborted) {
      client.release();
      throw createQueryCanceledError('the caller has disconnected');
    }
    return client;
  }

  async #withTimeout(client: pg.PoolClient, timeoutMs: number): Promise<pg.PoolClient> {
    if (this.#isPooled || (this.#timeoutOf.get(client) ?? this.#timeouts.backgroundMs) === timeoutMs)
      return client;
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

interface Canceller {
  stop(): 'untouched' | 'cancelled';
}

/** A cancel request may arrive late and would cancel the next statement of this connection, which is therefore closed. */
function releaseWith(client: pg.PoolClient, canceller: Canceller): pg.PoolClient {
  const release = client.release.bind(client);
  client.release = (error) => release(canceller.stop() === 'cancelled' ? true : error);
  return client;
}

/** The statement in progress of a `pg` connection, null without one; not part of the type declarations. */
interface ActiveQuery {
  readonly _activeQuery?: { readonly text?: string } | null;
}

/**
 * Cancels the running statement repeatedly until the connection is released, starting `GRACE_MS` after the
 * abort.
 */
function cancelWhenAborted(client: pg.PoolClient, signal: AbortSignal): Canceller {
  let timer: NodeJS.Timeout | undefined;
  let state: 'untouched' | 'cancelled' = 'untouched';
  const cancel = () => {
    const { _activeQuery: active } = client as unknown as ActiveQuery;
    // The end of a transaction is not cancelled: it would be unknown whether it was committed.
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

/**
 * The statement timeout where none can be set in the session: cancels each statement that runs for `timeoutMs`, with the
 * error that PostgreSQL itself reports then. Waiting for a session of the pooler counts as well.
 */
function cancelOverdue(client: pg.PoolClient, timeoutMs: number): Canceller {
  let state: ReturnType<Canceller['stop']> = 'untouched';
  let since = performance.now();
  let previous: ActiveQuery['_activeQuery'];
  const timer = setInterval(
    () => {
      const { _activeQuery: active } = client as unknown as ActiveQuery;
      if (active !== previous) since = performance.now();
      previous = active;
      if (!active || endsTransaction(active.text) || performance.now() - since < timeoutMs) return;
      state = 'cancelled';
      sendCancelRequest(client);
    },
    Math.min(GRACE_MS, timeoutMs / 4),
  );
  timer.unref();
  return {
    stop() {
      clearInterval(timer);
      return state;
    },
  };
}

const CANCEL_REQUEST_CODE = 80_877_102;
const TIMEOUT_MS = 5000;

/** Properties of a `pg` connection that its type declarations lack. */
type ConnectionInternals = pg.ClientBase & {
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly host: string;
  readonly port: number;
};

/**
 * Requests cancellation of the statement in progress, over a separate connection outside the pool:
 * https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS. Best effort: the
 * server sends no response, and a lost request leaves the statement to its timeout.
 */
function sendCancelRequest(client: pg.ClientBase): void {
  const { processID, secretKey, host, port } = client as ConnectionInternals;
  if (processID === null || secretKey === null) return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(CANCEL_REQUEST_CODE, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host);
  socket.on('error', () => undefined);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
  // The server closes it, as libpq expects: PgBouncer before 1.20 exits when the client is faster (its issue 801).
  socket.write(request);
  socket.resume();
}
