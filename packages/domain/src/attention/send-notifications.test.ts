import { expect, test } from '@jest/globals';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { Connection } from '../connections/connection.js';
import { ok } from '../result.js';
import type { Notification } from './compose-notification.js';
import { sendNotifications } from './send-notifications.js';

const MINUTE_MS = 60_000;
const never = new AbortController().signal;

async function setup(notifyEmails: readonly string[] = ['team@lumen.example']) {
  const it = await createTestEnvironment();
  await it.repositories.workspaces.update(it.workspace.id, { notifyEmails, displayName: 'Lumen Coffee' });
  const sent: { to: readonly string[]; notification: Notification }[] = [];
  const outcomes: string[] = [];
  const errors: unknown[] = [];
  const server = { isDown: false };
  const mailer = {
    send: async (to: readonly string[], notification: Notification) => {
      if (server.isDown) throw new Error('connection refused');
      sent.push({ to, notification });
    },
  };
  const sweep = () =>
    sendNotifications(it.ports, mailer, never, {
      onSent: (outcome) => outcomes.push(outcome),
      onError: (error) => errors.push(error),
    });
  const end = (connection: Connection) =>
    it.transactions.run(async (tx) =>
      ok(await tx.connections.update(it.workspace.id, connection.id, { status: 'needs_reauth' })),
    );
  const sweepLater = async (ms: number) => {
    it.clock.advance(ms);
    await sweep();
  };
  return { ...it, sent, outcomes, errors, server, sweep, sweepLater, end };
}

test('an account that must be reconnected is notified once, with the waiting posts and a link that reconnects it', async () => {
  const it = await setup();
  const connection = await it.connect();
  const at = it.clock.after(60 * MINUTE_MS);
  const post = it.build.post(it.profile, [connection], {}, { status: 'pending', scheduledAt: at });
  await it.repositories.posts.insert(post);
  await it.sweep();
  expect(it.sent).toEqual([]);

  await it.end(connection);
  await it.sweepLater(MINUTE_MS);
  expect(it.sent).toHaveLength(1);
  const [{ to, notification }] = it.sent as [(typeof it.sent)[number]];
  expect(to).toEqual(['team@lumen.example']);
  expect(notification).toMatchObject({
    subject: 'Lumen Coffee: An account must be reconnected',
    items: [
      {
        text: expect.stringMatching(/1 scheduled post depends on it, the first due at .*The link works once/),
        link: { label: 'Reconnect the account' },
        reference: connection.id,
      },
    ],
    more: null,
  });
  const token = notification.items[0]?.link?.url.replace('https://switchboard.example/connect/', '') ?? '';
  const session = await it.repositories.connectSessions.findByToken(it.ports.tokens.digest(token));
  expect(session).toMatchObject({ status: 'pending', reconnects: connection.id });
  expect(it.auditRows()).toMatchObject([
    { action: 'startConnect', object: session?.id, actor: 'system:notifications' },
    { action: 'sendNotification', object: it.workspace.id, details: { items: 1, addresses: 1 } },
  ]);

  for (let nth = 0; nth < 20; nth++) await it.sweepLater(5 * MINUTE_MS);
  expect(it.sent).toHaveLength(1);
});

test('what comes up within 15 minutes of an e-mail is batched into the next one', async () => {
  const it = await setup();
  const accounts = [await it.connect(), await it.connect(), await it.connect()];
  const [first, second, third] = accounts as [Connection, Connection, Connection];
  await it.end(first);
  await it.sweep();
  await it.end(second);
  await it.sweepLater(10 * MINUTE_MS);
  await it.end(third);
  await it.sweepLater(4 * MINUTE_MS);
  expect(it.sent).toHaveLength(1);
  await it.sweepLater(MINUTE_MS);
  expect(it.sent[1]?.notification).toMatchObject({
    subject: 'Lumen Coffee: 2 items wait for a person',
    more: expect.stringContaining('1 from earlier e-mails'),
  });
  expect(it.sent[1]?.notification.items.map(({ reference }) => reference).sort()).toEqual(
    [second.id, third.id].sort(),
  );
});

test('an item that stopped waiting and waits again is notified again', async () => {
  const it = await setup();
  const connection = await it.connect();
  await it.end(connection);
  await it.sweep();
  await it.repositories.connections.update(it.workspace.id, connection.id, { status: 'active' });
  await it.sweepLater(20 * MINUTE_MS);
  await it.end(connection);
  await it.sweepLater(MINUTE_MS);
  expect(it.sent).toHaveLength(2);
});

test('an e-mail that was not accepted is sent again after 15 minutes, and its links are cancelled', async () => {
  const it = await setup();
  const connection = await it.connect();
  await it.end(connection);
  it.server.isDown = true;
  await it.sweep();
  await it.sweepLater(14 * MINUTE_MS);
  expect(it.outcomes).toEqual(['failed']);
  expect(it.errors).toHaveLength(1);
  const [started] = it.auditRows();
  expect(await it.repositories.connectSessions.find(it.workspace.id, started?.object as never)).toMatchObject(
    { status: 'cancelled' },
  );
  it.server.isDown = false;
  await it.sweepLater(MINUTE_MS);
  expect(it.outcomes).toEqual(['failed', 'sent']);
  expect(it.sent[0]?.notification.items).toMatchObject([{ reference: connection.id }]);
});

test('several workers send one e-mail', async () => {
  const it = await setup();
  await it.end(await it.connect());
  await Promise.all([it.sweep(), it.sweep(), it.sweep()]);
  expect(it.sent).toHaveLength(1);
});

test('a workspace without addresses is not notified', async () => {
  const it = await setup([]);
  await it.end(await it.connect());
  await it.sweep();
  expect(it.sent).toEqual([]);
});

test('an e-mail lists twenty items and says how many more there are', async () => {
  const it = await setup();
  for (let nth = 0; nth < 23; nth++) await it.end(await it.connect());
  await it.sweep();
  expect(it.sent[0]?.notification.items).toHaveLength(20);
  expect(it.sent[0]?.notification.more).toMatch(/^Also waiting: 3 more that are new\./);
  await it.sweepLater(30 * MINUTE_MS);
  expect(it.sent).toHaveLength(1);
});
