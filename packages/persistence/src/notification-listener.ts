import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

interface ListenerOptions {
  /** Called once for every disconnection. */
  readonly onError: (error: unknown) => void;
  readonly heartbeatMs?: number;
  /** Connect when `state` is asked for, which precedes every use of notifications: many commands need none. */
  readonly isLazy?: boolean;
}

const HEARTBEAT_MS = 2000;
const CONNECT_MS = 5000;
const QUERY_TIMEOUT_MS = 2000;
const CLOSE_TIMEOUT_MS = 200;
const RETRY_MS = 100;
const RETRY_MAX_MS = 5000;
const IS_LISTENING = 'SELECT FROM pg_listening_channels() AS channel WHERE channel = $1';

/**
 * `url` must lead to PostgreSQL itself: LISTEN has no effect behind a transaction pooler. Every two seconds
 * the listener asks the session for its channels, which also detects connections that were cut silently. It
 * sends no notification: PostgreSQL wakes every listening session of the database for each one, so that the
 * cost of N processes would grow with the square of N.
 */
export function openNotificationListener(
  url: string,
  { onError, heartbeatMs = HEARTBEAT_MS, isLazy = false }: ListenerOptions,
) {
  const handlers = new Map<string, ((payload: string | null) => void)[]>();
  /** Identifies the session of this listener; never notified. */
  const ownChannel = `switchboard_beat_${randomUUID().replaceAll('-', '')}`;
  const closing = new AbortController();
  /** The connection once it exists; `isListening` once its session has confirmed it. */
  let current: {
    readonly query: (sql: string) => Promise<unknown>;
    readonly leave: () => void;
  } | null = null;
  let isListening = false;

  const listenTo = (channel: string) => `LISTEN ${pg.escapeIdentifier(channel)}`;

  /** Listens until the connection is lost, and throws that error. */
  async function listen(onListening: () => void): Promise<never> {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: url,
      stream: () => socket,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      application_name: 'switchboard_notices',
    });
    /** One query after another: pg deprecates a query that is sent while another one runs. */
    let previous: Promise<unknown> = Promise.resolve();
    const query = (sql: string, values: readonly string[] = []) => {
      const result = previous.then(() => client.query(sql, [...values]));
      previous = result.catch(() => undefined);
      return result;
    };
    client.on('notification', ({ channel, payload = '' }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload);
    });
    const disconnected = new AbortController();
    const disconnect = () => {
      disconnected.abort();
      if (!isListening) socket.destroy();
    };
    let lossReason: Error = new Error('the LISTEN connection was closed');
    client.on('error', (error) => {
      lossReason = error;
      disconnect();
    });
    client.on('end', disconnect);
    closing.signal.addEventListener('abort', disconnect);
    try {
      await client.connect();
      current = { query, leave: disconnect };
      for (const channel of [ownChannel, ...handlers.keys()]) await query(listenTo(channel));
      for (;;) {
        const { rows } = await query(IS_LISTENING, [ownChannel]);
        if (rows.length === 0)
          throw new Error('the session does not listen: the URL may lead through a transaction pooler');
        if (!isListening) {
          isListening = true;
          onListening();
          // Notifications sent while disconnected are not repeated.
          for (const each of [...handlers.values()].flat()) each(null);
        }
        await sleep(heartbeatMs, undefined, { ref: false, signal: disconnected.signal }).catch(() =>
          Promise.reject(lossReason),
        );
      }
    } finally {
      current = null;
      isListening = false;
      closing.signal.removeEventListener('abort', disconnect);
      await Promise.race([client.end().catch(() => undefined), sleep(CLOSE_TIMEOUT_MS)]);
      socket.destroy();
    }
  }

  async function keepListening(): Promise<void> {
    let waitMs = RETRY_MS;
    let isReported = false;
    while (!closing.signal.aborted) {
      await listen(() => {
        waitMs = RETRY_MS;
        isReported = false;
      }).catch((error: unknown) => {
        if (!closing.signal.aborted && !isReported) onError(error);
        isReported = true;
      });
      await sleep(waitMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, RETRY_MAX_MS);
    }
  }

  let listening = isLazy ? null : keepListening();
  return {
    /**
     * Calls the handler for each notification on a channel. `null` means that the listener was disconnected and
     * notifications may have been missed. A subscription lasts as long as the process.
     */
    on(channel: string, handler: (payload: string | null) => void) {
      const before = handlers.get(channel) ?? [];
      handlers.set(channel, [...before, handler]);
      // A connection that cannot subscribe to another channel is discarded: the next one subscribes to all.
      current?.query(listenTo(channel)).catch(current.leave);
    },
    /**
     * `deaf` as soon as the connection is lost, does not respond in time, or leads to a session that does not
     * listen.
     */
    state(): 'listening' | 'deaf' {
      listening ??= keepListening();
      return isListening ? 'listening' : 'deaf';
    },
    async close() {
      closing.abort();
      await listening;
    },
  };
}

/** Receives NOTIFY messages of committed transactions over a dedicated connection. */
export type NotificationListener = ReturnType<typeof openNotificationListener>;
