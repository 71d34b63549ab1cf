import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Hears what transactions told with NOTIFY when they committed, over one connection of its own. */
export interface NotificationListener {
  /**
   * Hands over what is told on a channel, as soon as it is. `null` means that something may have been missed: it could not
   * be heard for a while, and can be again. Nobody stops listening before the process does.
   */
  on(channel: string, handler: (payload: string | null) => void): void;
  /** `deaf` from the moment in which the connection is lost, or in which no word of our own came back in time. */
  state(): 'listening' | 'deaf';
  close(): Promise<void>;
}

interface ListenerOptions {
  /** Told once of every time that it goes deaf. */
  readonly onError: (error: unknown) => void;
  readonly heartbeatMs?: number;
}

const HEARTBEAT_MS = 2000;
const CONNECT_MS = 5000;
const QUERY_TIMEOUT_MS = 2000;
const CLOSE_TIMEOUT_MS = 200;
const RETRY_MS = 100;
const RETRY_MAX_MS = 5000;

/**
 * `url` leads to PostgreSQL itself: behind a transaction pooler LISTEN does nothing. Whether it does is asked every two
 * seconds with a word to itself, which also finds connections that were cut without a sign.
 */
export function openNotificationListener(url: string, { onError, heartbeatMs = HEARTBEAT_MS }: ListenerOptions): NotificationListener {
  const handlers = new Map<string, ((payload: string | null) => void)[]>();
  const heartbeatChannel = `switchboard_beat_${randomUUID().replaceAll('-', '')}`;
  const closing = new AbortController();
  /** The connection, from when it is there; `isHearing` from when it has proved itself. */
  let current: { readonly client: pg.Client; readonly leave: () => void } | null = null;
  let isListening = false;

  const subscribe = (client: pg.Client, channel: string) =>
    client.query(`LISTEN ${client.escapeIdentifier(channel)}`);

  /** Listens until the connection is lost, which is what it throws. */
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
    let heartbeats = 0;
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === heartbeatChannel) heartbeats += 1;
      else for (const handler of handlers.get(channel) ?? []) handler(payload);
    });
    const disconnected = new AbortController();
    const disconnect = () => {
      disconnected.abort();
      if (!isListening) socket.destroy();
    };
    let lossReason: Error = new Error('the connection that listens was closed');
    client.on('error', (error) => {
      lossReason = error;
      disconnect();
    });
    client.on('end', disconnect);
    closing.signal.addEventListener('abort', disconnect);
    try {
      await client.connect();
      current = { client, leave: disconnect };
      for (const channel of [heartbeatChannel, ...handlers.keys()]) await subscribe(client, channel);
      for (;;) {
        const before = heartbeats;
        await client.query(`NOTIFY ${heartbeatChannel}`);
        if (heartbeats === before)
          throw new Error('a notification did not come back: is this a transaction pooler?');
        if (!isListening) {
          isListening = true;
          onListening();
          // What was told while nobody listened is not told again.
          for (const each of [...handlers.values()].flat()) each(null);
        }
        await sleep(heartbeatMs, undefined, { ref: false, signal: disconnected.signal }).catch(() => Promise.reject(lossReason));
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

  const listening = keepListening();
  return {
    on(channel, handler) {
      const before = handlers.get(channel) ?? [];
      handlers.set(channel, [...before, handler]);
      // A connection that cannot be told of another channel is of no use: the next one is told of all.
      if (current) subscribe(current.client, channel).catch(current.leave);
    },
    state: () => (isListening ? 'listening' : 'deaf'),
    async close() {
      closing.abort();
      await listening;
    },
  };
}
