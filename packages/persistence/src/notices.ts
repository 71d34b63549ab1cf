import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Hears what transactions told with NOTIFY when they committed, over one connection of its own. */
export interface Notices {
  /**
   * Hands over what is told on a channel, as soon as it is. `null` means that something may have been missed: it could not
   * be heard for a while, and can be again. Nobody stops listening before the process does.
   */
  on(channel: string, handler: (payload: string | null) => void): void;
  /** `deaf` from the moment in which the connection is lost, or in which no word of our own came back in time. */
  state(): 'listening' | 'deaf';
  close(): Promise<void>;
}

interface Options {
  /** Told once of every time that it goes deaf. */
  readonly onError: (error: unknown) => void;
  readonly beatMs?: number;
}

const BEAT_MS = 2000;
const CONNECT_MS = 5000;
const ANSWER_MS = 2000;
const PARTING_MS = 200;
const RETRY_MS = 100;
const RETRY_MAX_MS = 5000;

/**
 * `url` leads to PostgreSQL itself: behind a transaction pooler LISTEN does nothing. Whether it does is asked every two
 * seconds with a word to itself, which also finds connections that were cut without a sign.
 */
export function openNotices(url: string, { onError, beatMs = BEAT_MS }: Options): Notices {
  const handlers = new Map<string, ((payload: string | null) => void)[]>();
  const beat = `switchboard_beat_${randomUUID().replaceAll('-', '')}`;
  const closing = new AbortController();
  /** The connection, from when it is there; `isHearing` from when it has proved itself. */
  let current: { readonly client: pg.Client; readonly leave: () => void } | null = null;
  let isHearing = false;

  const subscribe = (client: pg.Client, channel: string) =>
    client.query(`LISTEN ${client.escapeIdentifier(channel)}`);

  /** Listens until the connection is lost, which is what it throws. */
  async function listen(heard: () => void): Promise<never> {
    const socket = new Socket();
    const client = new pg.Client({
      connectionString: url,
      stream: () => socket,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      application_name: 'switchboard_notices',
    });
    let beats = 0;
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === beat) beats += 1;
      else for (const handler of handlers.get(channel) ?? []) handler(payload);
    });
    const gone = new AbortController();
    const leave = () => {
      gone.abort();
      if (!isHearing) socket.destroy();
    };
    let why: Error = new Error('the connection that listens was closed');
    client.on('error', (error) => {
      why = error;
      leave();
    });
    client.on('end', leave);
    closing.signal.addEventListener('abort', leave);
    try {
      await client.connect();
      current = { client, leave };
      for (const channel of [beat, ...handlers.keys()]) await subscribe(client, channel);
      for (;;) {
        const before = beats;
        await client.query(`NOTIFY ${beat}`);
        if (beats === before)
          throw new Error('a notification did not come back: is this a transaction pooler?');
        if (!isHearing) {
          isHearing = true;
          heard();
          // What was told while nobody listened is not told again.
          for (const each of [...handlers.values()].flat()) each(null);
        }
        await sleep(beatMs, undefined, { ref: false, signal: gone.signal }).catch(() => Promise.reject(why));
      }
    } finally {
      current = null;
      isHearing = false;
      closing.signal.removeEventListener('abort', leave);
      await Promise.race([client.end().catch(() => undefined), sleep(PARTING_MS)]);
      socket.destroy();
    }
  }

  async function keepListening(): Promise<void> {
    let waitMs = RETRY_MS;
    let isTold = false;
    while (!closing.signal.aborted) {
      await listen(() => {
        waitMs = RETRY_MS;
        isTold = false;
      }).catch((error: unknown) => {
        if (!closing.signal.aborted && !isTold) onError(error);
        isTold = true;
      });
      await sleep(waitMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, RETRY_MAX_MS);
    }
  }

  const kept = keepListening();
  return {
    on(channel, handler) {
      const before = handlers.get(channel) ?? [];
      handlers.set(channel, [...before, handler]);
      // A connection that cannot be told of another channel is of no use: the next one is told of all.
      if (current) subscribe(current.client, channel).catch(current.leave);
    },
    state: () => (isHearing ? 'listening' : 'deaf'),
    async close() {
      closing.abort();
      await kept;
    },
  };
}
