import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { builders, countedIds } from '@switchboard/domain/testing';
import type { ApiKey } from '@switchboard/domain/access';
import type { Clock } from '@switchboard/domain/ports';
import {
  KEY_CHANGES_CHANNEL,
  openDatabase,
  openNotificationListener,
  prismaRepositories,
  type Database,
  type NotificationListener,
} from './index.js';
import { withClient } from './migrate/database.js';
import { testDatabase } from './testing.js';

const clock: Clock = {
  now: () => new Date(),
  after: (ms) => new Date(Date.now() + ms),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
const build = builders({ clock, ids: countedIds(clock) });

let url: string;
let database: Database;
let notices: NotificationListener;
let heard: (string | null)[];
let errors: unknown[];
beforeAll(async () => {
  url = await testDatabase('notices');
  database = openDatabase(url, { max: 2 });
});
beforeEach(() => {
  heard = [];
  errors = [];
});
afterEach(() => notices.close());
afterAll(() => database.close());

/** Polls without a deadline, for slow machines. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await clock.sleep(25);
}

async function listen(at = url, heartbeatMs = 100): Promise<void> {
  notices = openNotificationListener(at, { onError: (error) => errors.push(error), heartbeatMs });
  notices.on(KEY_CHANGES_CHANNEL, (payload) => heard.push(payload));
  await until(() => notices.state() === 'listening');
  heard = [];
}

async function storedKey(): Promise<ApiKey> {
  const tables = prismaRepositories(database.prisma);
  const workspace = build.workspace();
  await tables.workspaces.insert(workspace);
  const key = build.apiKey(workspace);
  await tables.apiKeys.insert(key, new Uint8Array(32));
  return key;
}

describe('notifications of keys', () => {
  test('cover every change except last use, after the commit', async () => {
    const { apiKeys } = prismaRepositories(database.prisma);
    const key = await storedKey();
    await listen();
    await apiKeys.touch([{ id: key.id, at: new Date() }]);
    await apiKeys.update(key.workspaceId, key.id, { name: 'another' });
    await until(() => heard.length === 1);
    await apiKeys.revoke(key.workspaceId, key.id);
    await until(() => heard.length === 2);
    await database.prisma.$transaction(async (client) => {
      await client.apiKey.delete({ where: { id: key.id } });
      await clock.sleep(100);
      expect(heard).toHaveLength(2);
    });
    await until(() => heard.length === 3);
    expect(heard).toEqual([key.publicId, key.publicId, key.publicId]);
  });

  test('omit rolled back changes', async () => {
    const key = await storedKey();
    const { apiKeys } = prismaRepositories(database.prisma);
    await listen();
    await expect(
      database.prisma.$transaction(async (client) => {
        await prismaRepositories(client).apiKeys.revoke(key.workspaceId, key.id);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    await apiKeys.update(key.workspaceId, key.id, { name: 'done' });
    await until(() => heard.length > 0);
    expect(heard).toEqual([key.publicId]);
  });
});

describe('a lost connection', () => {
  test('is reported once, and its recovery reports that notifications may have been missed', async () => {
    await listen();
    await withClient(url, (client) =>
      client.query(
        `SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
         WHERE application_name = 'switchboard_notices' AND datname = current_database()`,
      ),
    );
    await until(() => heard.length > 0 && notices.state() === 'listening');
    expect(heard).toEqual([null]);
    expect(errors).toHaveLength(1);
    await withClient(url, (client) =>
      client.query(`SELECT pg_notify('${KEY_CHANGES_CHANNEL}', 'again')::text`),
    );
    await until(() => heard.includes('again'));
  });

  test('is detected also without a socket error, and stays down while the server is unreachable', async () => {
    const cable = await layCable(new URL(url));
    await listen(cable.url);
    cable.isBlocked = true;
    await until(() => notices.state() === 'deaf');
    await clock.sleep(500);
    expect(notices.state()).toBe('deaf');
    expect(errors).toHaveLength(1);
    cable.isBlocked = false;
    await until(() => notices.state() === 'listening');
    expect(heard).toEqual([null]);
    await notices.close();
    await cable.close();
  });
});

test('a heartbeat sends no notification, which would wake every other process (finding 85)', async () => {
  const cable = await layCable(new URL(url));
  await listen(cable.url, 5);
  const sent = cable.sent.length;
  await until(() => cable.sent.slice(sent).split('pg_listening_channels').length > 20);
  expect(cable.sent).not.toMatch(/notify/i);
  await notices.close();
  await cable.close();
});

test('a session that does not listen, as behind a pooler, is not trusted', async () => {
  const cable = await layCable(new URL(url), (bytes) => bytes.replaceAll('LISTEN "', 'NOTIFY "'));
  notices = openNotificationListener(cable.url, { onError: (error) => errors.push(error), heartbeatMs: 5 });
  notices.on(KEY_CHANGES_CHANNEL, () => undefined);
  await until(() => errors.length > 0);
  expect(String(errors[0])).toMatch(/transaction pooler/);
  expect(notices.state()).toBe('deaf');
  await notices.close();
  await cable.close();
});

test('channels that are subscribed at once are heard, and pg warns of nothing', async () => {
  const warnings: string[] = [];
  const warn = ({ message }: Error) => warnings.push(message);
  process.on('warning', warn);
  try {
    await listen(url, 5);
    const channels = ['one', 'two', 'three'];
    for (const channel of channels) notices.on(channel, (payload) => heard.push(payload));
    while (!channels.every((channel) => heard.includes(channel))) {
      await withClient(url, async (client) => {
        for (const channel of channels) await client.query(`NOTIFY ${channel}, '${channel}'`);
      });
    }
    expect(heard).toEqual(expect.arrayContaining(channels));
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', warn);
  }
});

test('closes immediately, also if it never connected', async () => {
  let attempts = 0;
  const server = createServer((socket) => {
    attempts += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  notices = openNotificationListener(
    `postgresql://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`,
    { onError: (error) => errors.push(error) },
  );
  // The next attempt would follow in more than a second.
  await until(() => attempts === 5);
  // Timers of one process fire in the order of their due times, however busy the machine is.
  const later = clock.sleep(500).then(() => 'too late');
  expect(await Promise.race([notices.close(), later])).toBeUndefined();
  expect(notices.state()).toBe('deaf');
  server.close();
});

/**
 * A proxy to the database that can drop bytes without closing the connection. `alter` changes what is sent to
 * the database, at the same length.
 */
async function layCable(target: URL, alter = (bytes: string) => bytes) {
  const sockets = new Set<Socket>();
  const cable = { isBlocked: false, url: '', sent: '', close };
  const server: Server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('data', (bytes: Buffer) => {
        if (cable.isBlocked) return;
        if (one === far) return void other.write(bytes);
        const altered = alter(bytes.toString('latin1'));
        cable.sent += altered;
        other.write(altered, 'latin1');
      });
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cable.url = Object.assign(new URL(target), {
    hostname: '127.0.0.1',
    port: String((server.address() as AddressInfo).port),
  }).href;
  async function close() {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
  return cable;
}

test('a lazy listener connects when its state is asked for', async () => {
  const cable = await layCable(new URL(url));
  const lazy = openNotificationListener(cable.url, { onError: (error) => errors.push(error), isLazy: true });
  lazy.on(KEY_CHANGES_CHANNEL, (changed) => heard.push(changed));
  await clock.sleep(50);
  expect(cable.sent).toBe('');
  await until(() => lazy.state() === 'listening');
  expect(heard).toEqual([null]);
  await lazy.close();
  await cable.close();
});
