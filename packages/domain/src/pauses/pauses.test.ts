import { describe, expect, test } from '@jest/globals';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import { createRefundFixture, emptyAccount } from '../../testing/stores/refund-fixture.js';
import { updateConnection } from '../connections/update-connection.js';
import { deliver } from '../deliveries/deliver.js';
import { readBackDelivery } from '../deliveries/read-back-delivery.js';
import { instructionOf } from '../refunds/refund-record.js';
import { sendRefund } from '../refunds/send-refund.js';
import { ok } from '../result.js';
import type { PauseCause } from './pause.js';
import { pauseInstallation } from './pause-installation.js';
import { pauseProfile, resumeProfile } from './pause-profile.js';
import { recordPublicUrl } from './record-public-url.js';
import { recordTimeline } from './record-timeline.js';
import { resumeInstallation } from './resume-installation.js';

const never = new AbortController().signal;
const HOUR_MS = 3_600_000;
const by = 'system:operator';

async function scene() {
  const at = await createTestEnvironment();
  const connection = await at.connect();
  const post = at.build.post(at.profile, [connection], { notAfter: at.clock.after(6 * HOUR_MS) });
  await at.repositories.posts.insert(post);
  const task = { workspaceId: at.workspace.id, deliveryId: post.deliveries[0]?.id ?? at.ids.next('dlv') };
  return {
    ...at,
    connection,
    post,
    deliver: () => deliver(at.ports, task, never),
    readBack: () => readBackDelivery(at.ports, task, never),
    status: async () => (await at.repositories.deliveries.find(task.workspaceId, task.deliveryId))?.status,
    history: async () =>
      (await at.repositories.deliveries.listHistory(at.workspace.id, post.id)).map(
        ({ kind, outcome, actor }) => `${kind} ${outcome}${actor === null ? '' : ` ${actor}`}`,
      ),
    pauseAll: (cause: PauseCause = 'requested', reason?: string) =>
      at.atomic((ports) => pauseInstallation(ports, { cause, by, reason })),
    resumeAll: () => at.atomic((ports) => resumeInstallation(ports, { by })),
  };
}

const pauseStore = (t: ReturnType<typeof createRefundFixture>, paused: boolean) =>
  t.s.ports.transactions.run((tx) =>
    updateConnection({ ...t.s.ports, ...tx }, t.call, { id: t.connection.id, paused }),
  );

const published = (it: TestEnvironment) => it.socials[0]?.published.length;

describe('a profile', () => {
  test('holds its posts while it is paused, and sends them when it is resumed', async () => {
    const it = await scene();
    const call = it.call({ ifMatch: '"1"' });
    const paused = await it.atomic((ports) =>
      pauseProfile(ports, call, { id: it.profile.id, reason: 'Recall' }),
    );
    const pause = { cause: 'requested', reason: 'Recall', by: expect.stringMatching(/^key_/) };
    expect(paused).toMatchObject({ value: { version: 2, pause } });
    await it.deliver();
    expect([await it.status(), published(it)]).toEqual(['pending', 0]);
    const resumed = await it.atomic((ports) => resumeProfile(ports, it.call(), { id: it.profile.id }));
    expect(resumed).toMatchObject({ value: { version: 3, pause: null } });
    await it.deliver();
    expect([await it.status(), published(it)]).toEqual(['published', 1]);
  });

  test('that is paused again keeps its time, and takes the new reason', async () => {
    const it = await scene();
    const pause = (reason?: string) =>
      it.atomic((ports) => pauseProfile(ports, it.call(), { id: it.profile.id, reason }));
    const paused = await pause('one');
    const since = paused.ok ? paused.value.pause?.at : null;
    it.clock.advance(1000);
    expect(await pause()).toMatchObject({ value: { version: 2, pause: { reason: 'one', at: since } } });
    expect(await pause('two')).toMatchObject({ value: { version: 3, pause: { reason: 'two', at: since } } });
    const stale = it.call({ ifMatch: '"1"' });
    expect(await it.atomic((ports) => resumeProfile(ports, stale, { id: it.profile.id }))).toMatchObject({
      failure: { code: 'request.precondition_failed' },
    });
  });

  test('that a key cannot reach is neither paused nor resumed', async () => {
    const it = await scene();
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    const call = it.call({}, { profileIds: [other.id] });
    for (const change of [pauseProfile, resumeProfile])
      expect(await it.atomic((ports) => change(ports, call, { id: it.profile.id }))).toMatchObject({
        failure: { code: 'profile.not_found' },
      });
  });
});

test('a connection is paused and resumed on its own, and a repetition changes nothing', async () => {
  const it = await scene();
  const { id } = it.connection;
  const set = (paused: boolean, pauseReason?: string) =>
    it.atomic((ports) => updateConnection(ports, it.call(), { id, paused, pauseReason }));
  expect(await set(true, 'Wrong account')).toMatchObject({
    value: { connection: { version: 2, pause: { reason: 'Wrong account' } } },
  });
  expect(await set(true)).toMatchObject({ value: { connection: { version: 2 } } });
  await it.deliver();
  expect(await it.status()).toBe('pending');
  expect(await set(false)).toMatchObject({ value: { connection: { version: 3, pause: null } } });
  expect(await set(false)).toMatchObject({ value: { connection: { version: 3 } } });
  await it.deliver();
  expect(await it.status()).toBe('published');
});

describe('the installation', () => {
  test('holds everything, and records who paused and resumed it in the log of every workspace', async () => {
    const it = await scene();
    const other = it.build.workspace();
    await it.repositories.workspaces.insert(other);
    await it.pauseAll('requested', 'Maintenance');
    await it.pauseAll();
    await it.deliver();
    expect([await it.status(), published(it)]).toEqual(['pending', 0]);
    expect(await it.resumeAll()).toMatchObject({ value: { pause: { reason: 'Maintenance' }, readBack: 0 } });
    expect(await it.resumeAll()).toEqual(ok({ pause: null, readBack: 0 }));
    await it.deliver();
    expect(await it.status()).toBe('published');
    const rows = it.auditRows().filter(({ action }) => action.endsWith('Installation'));
    expect(rows.map(({ workspaceId, actor, action }) => [workspaceId, actor, action])).toEqual(
      ['pauseInstallation', 'resumeInstallation'].flatMap((action) => [
        [it.workspace.id, by, action],
        [other.id, by, action],
      ]),
    );
  });

  test('marks as missed what became overdue beyond its window while it was paused', async () => {
    const it = await scene();
    await it.pauseAll();
    it.clock.advance(7 * HOUR_MS);
    await it.deliver();
    expect(await it.status()).toBe('pending');
    await it.resumeAll();
    await it.deliver();
    expect([await it.status(), published(it)]).toEqual(['missed', 0]);
  });

  for (const cause of ['restored_backup', 'moved_away', 'changed_public_url'] as const)
    test(`after ${cause} reads back what is overdue before it sends it`, async () => {
      const it = await scene();
      await it.pauseAll(cause);
      // The installation that the backup was taken of has published it.
      await deliverAtOriginal(it);
      await it.pauseAll('requested', 'A request does not replace the doubt');
      expect(await it.resumeAll()).toMatchObject({ value: { pause: { cause }, readBack: 1 } });
      await it.deliver();
      expect([await it.status(), published(it)]).toEqual(['unknown', 1]);
      await it.readBack();
      expect([await it.status(), published(it)]).toEqual(['published', 1]);
      expect(await it.history()).toEqual([`state unknown ${by}`, 'read_back published']);
    });

  test('after it moved sends what is overdue, because only one of both was running', async () => {
    const it = await scene();
    await it.pauseAll('moved');
    expect(await it.resumeAll()).toMatchObject({ value: { readBack: 0 } });
    await it.deliver();
    expect(await it.status()).toBe('published');
  });
});

/** Delivers the post in another installation, with the same accounts at the same platforms. */
async function deliverAtOriginal({
  socials,
  workspace,
  connection,
  post,
}: Awaited<ReturnType<typeof scene>>) {
  // Ids are counted: its workspace and profile are the same.
  const original = await createTestEnvironment(socials);
  await original.repositories.connections.insert(connection);
  await original.repositories.posts.insert(post);
  const [{ id: deliveryId } = { id: original.ids.next('dlv') }] = post.deliveries;
  await deliver(original.ports, { workspaceId: workspace.id, deliveryId }, never);
}

describe('a promotion', () => {
  /** What a promoted standby has: the timeline of the primary that was lost. */
  const promote = (it: TestEnvironment) =>
    it.atomic(async (ports) => ok(await ports.pauses.updateInstallation({ timeline: 'lost' })));

  test('lost that a due post was sent: it is read back, and not sent twice', async () => {
    const it = await scene();
    expect(await recordTimeline(it.ports)).toBeNull();
    await deliverAtOriginal(it);
    await promote(it);
    await it.deliver();
    expect([await it.status(), published(it)]).toEqual(['pending', 1]);
    expect(await recordTimeline(it.ports)).toEqual({ at: expect.any(Date), deliveries: 1, refunds: 0 });
    await it.deliver();
    expect([await it.status(), published(it)]).toEqual(['pending', 1]);
    await it.readBack();
    expect([await it.status(), published(it)]).toEqual(['published', 1]);
    expect(it.auditRows()).toContainEqual(
      expect.objectContaining({ action: 'recordPromotion', actor: 'system:worker' }),
    );
  });

  test('that lost nothing delays a due post, which is sent once', async () => {
    const it = await scene();
    await recordTimeline(it.ports);
    await promote(it);
    await recordTimeline(it.ports);
    for (const status of ['unknown', 'retrying'] as const) {
      await it.readBack();
      expect([await it.status(), published(it)]).toEqual([status, 0]);
      it.clock.advance(60_000);
    }
    await it.deliver();
    expect([await it.status(), published(it)]).toEqual(['published', 1]);
    expect(await recordTimeline(it.ports)).toBeNull();
  });

  test('ends the claims of the history that was lost: their workers may still run', async () => {
    const it = await scene();
    const stale = it.post.deliveries[0]?.epoch ?? 0;
    await recordTimeline(it.ports);
    await promote(it);
    await recordTimeline(it.ports);
    await it.readBack();
    const { id } = it.post.deliveries[0] ?? { id: it.ids.next('dlv') };
    expect(await it.atomic(async (tx) => ok(await tx.deliveries.extendLease(id, stale + 1, 30)))).toEqual(
      ok(false),
    );
  });

  test('leaves to its worker what is being sent, since a synchronous standby knows it', async () => {
    const it = await scene();
    const task = { id: it.post.deliveries[0]?.id ?? it.ids.next('dlv') };
    const claimed = await it.atomic(async (tx) => ok(await tx.deliveries.claim('deliver', task, 30)));
    await recordTimeline(it.ports);
    await promote(it);
    await recordTimeline(it.ports);
    const epoch = claimed.ok ? (claimed.value[0]?.delivery.epoch ?? 0) : 0;
    expect(await it.atomic(async (tx) => ok(await tx.deliveries.extendLease(task.id, epoch, 30)))).toEqual(
      ok(true),
    );
  });

  test('lost that a refund was made: it is read back, and not made twice', async () => {
    const t = createRefundFixture();
    await pauseStore(t, true);
    const refund = await t.made({ amount: '10.00' });
    await pauseStore(t, false);
    // The primary sent it; the standby does not know that.
    await t.store.platform.refunds?.refund({} as never, instructionOf(refund));
    await t.s.ports.transactions.run(async (tx) =>
      ok(await tx.pauses.updateInstallation({ timeline: 'lost' })),
    );
    await t.work();
    expect(await recordTimeline(t.s.ports)).toMatchObject({ deliveries: 0, refunds: 1 });
    await t.work();
    expect(t.store.refunds).toHaveLength(1);
    expect(await t.s.ports.refunds.find(refund.workspaceId, refund.id)).toMatchObject({
      status: 'succeeded',
    });
    expect(await t.account()).toMatchObject({ ...emptyAccount, refundedMinor: 1000 });
  });
});

describe('the public URL', () => {
  const start = (it: TestEnvironment, publicUrl: string) =>
    it.atomic((ports) => recordPublicUrl(ports, { publicUrl }));
  const cause = async (it: TestEnvironment) =>
    (await it.repositories.pauses.findInstallation()).pause?.cause ?? null;

  test('another one pauses the installation once, and states both', async () => {
    const it = await createTestEnvironment();
    expect(await start(it, 'https://one.example')).toEqual(ok(null));
    expect(await start(it, 'https://one.example/')).toEqual(ok(null));
    expect(await start(it, 'https://two.example')).toMatchObject({
      value: {
        cause: 'changed_public_url',
        by: 'system:start',
        reason: expect.stringMatching(/https:\/\/one\.example\/? .*https:\/\/two\.example/),
      },
    });
    await it.atomic((ports) => resumeInstallation(ports, { by }));
    expect(await start(it, 'https://two.example')).toEqual(ok(null));
    expect(await cause(it)).toBeNull();
  });

  test('a port of this machine identifies no installation, but a public name does', async () => {
    const it = await createTestEnvironment();
    for (const url of ['http://127.0.0.1:3000', 'http://localhost:4000', 'http://[::1]:5000'])
      expect(await start(it, url)).toEqual(ok(null));
    await start(it, 'https://one.example');
    expect(await cause(it)).toBe('changed_public_url');
    await it.atomic((ports) => resumeInstallation(ports, { by }));
    await start(it, 'http://127.0.0.1:3000');
    expect(await cause(it)).toBe('changed_public_url');
  });
});

describe('a refund', () => {
  test('is held with its money reserved while its store is paused, and made when it is resumed', async () => {
    const t = createRefundFixture();
    await pauseStore(t, true);
    expect((await t.quote()).consequences).toContainEqual(
      expect.stringContaining('Refunding is paused for the account'),
    );
    const held = await t.made({ amount: '10.00' });
    expect(held).toMatchObject({ status: 'pending', heldBy: 'connection', sentAt: null });
    expect(await t.account()).toMatchObject({ reservedMinor: 1000, inFlight: held.id });
    expect(await t.refund({ amount: '5.00' })).toMatchObject({ failed: true, code: 'refund.in_progress' });
    await t.work();
    expect([t.store.refunds.length, (await t.s.ports.refunds.listUnsettled(9)).length]).toEqual([0, 0]);
    await pauseStore(t, false);
    await t.work();
    expect(await t.s.ports.refunds.find(held.workspaceId, held.id)).toMatchObject({
      status: 'succeeded',
      heldBy: null,
    });
    expect(await t.account()).toMatchObject({ ...emptyAccount, refundedMinor: 1000 });
  });

  test('that is paused between its claim and its request is held, and not lost', async () => {
    const t = createRefundFixture();
    await pauseStore(t, true);
    const held = await t.made({ amount: '10.00' });
    await pauseStore(t, false);
    const { sessions } = t.s.ports;
    const open: typeof sessions.open = async (...use) => {
      await pauseStore(t, true);
      return sessions.open(...use);
    };
    const sent = await sendRefund(
      { ...t.s.ports, sessions: { ...sessions, open } },
      held.workspaceId,
      held.id,
    );
    expect(sent).toMatchObject({ status: 'pending', sentAt: null });
    expect(t.store.refunds.length).toBe(0);
    expect(await t.s.ports.refunds.listUnsettled(9)).toEqual([]);
    await pauseStore(t, false);
    await t.work();
    expect(t.store.refunds.length).toBe(1);
  });
});
