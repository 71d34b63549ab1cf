import { beforeEach, describe, expect, test } from '@jest/globals';
import type { WebhookLane } from '../../src/ports/index.js';
import { eventTypes } from '../../src/events/event.js';
import type { Webhook, WebhookAttempt } from '../../src/webhooks/webhook.js';
import { type CreateStorage, type StorageWorld, useStorageWorld } from './storage-world.js';
import { opaqueEvent } from '../opaque-event.js';

const attempt: WebhookAttempt = {
  at: new Date('2026-03-02T09:00:00Z'),
  status: 503,
  latencyMs: 12,
  responseHead: 'later',
  error: 'status',
};
const delivered: WebhookAttempt = { ...attempt, status: 200, error: null };

/** Endpoints, their lanes and their deliveries. */
export function webhooksContract(make: CreateStorage): void {
  describe('webhooks', () => {
    const world = useStorageWorld(make, beforeEach);
    let webhook: Webhook;
    beforeEach(async () => {
      webhook = await add();
    });

    const secret = (text: string, generation = 1) => ({
      generation,
      sealed: new TextEncoder().encode(text),
    });
    const add = async (over: Partial<Webhook> = {}, of = world.ours) => {
      const made = world.build.webhook(of.workspace, { events: ['key.*'], ...over });
      await world.change(async (tx) => tx.webhooks.insert(made, secret('first'), await tx.events.findEnd()));
      return made;
    };
    const append = (count = 1, of = world.ours) =>
      world.change(async (tx) => {
        for (let index = 0; index < count; index++)
          await tx.events.append(
            opaqueEvent({
              workspaceId: of.workspace.id,
              type: 'key.created',
              profileId: null,
              data: { index },
            }),
          );
      });
    const claim = (room = { lanes: 10, failing: 10 }, seconds = 60) =>
      world.webhooks.claimLanes(room, seconds);
    const claimOne = async (): Promise<WebhookLane> => {
      const lane = (await claim()).find((claimed) => claimed.webhook.id === webhook.id);
      if (!lane) throw new Error('no lane has work');
      return lane;
    };
    /** Adds a delivery of every event after the lane's position. */
    const fill = (lane: WebhookLane) =>
      world.change(async (tx) => {
        const state = await tx.webhooks.lockLane(lane);
        if (!state) throw new Error('the lane is lost');
        const filter = { reach: null, types: eventTypes };
        const page = await tx.events.list(lane.webhook.workspaceId, filter, {
          after: state.position,
          limit: 100,
        });
        const rows = page.items.map(({ id, type }) => ({ id, type, deliveryId: world.ids.next('whd') }));
        await tx.webhooks.addDeliveries(lane, rows, { kind: 'position', position: page.position });
      });
    const settle = (
      lane: WebhookLane,
      ...attempts: Parameters<StorageWorld['webhooks']['settleDeliveries']>[1]
    ) => world.webhooks.settleDeliveries(lane, attempts, 0);
    const list = () => world.webhooks.listDeliveries(world.ours.workspace.id, webhook.id, {}, { limit: 100 });

    test('are found, listed and counted in their workspace only', async () => {
      const newer = await add({ profileIds: [world.ours.profile.id], description: 'CRM' });
      const { id } = world.ours.workspace;
      expect(await world.webhooks.find(id, newer.id)).toEqual(newer);
      expect(await world.webhooks.find(world.theirs.workspace.id, newer.id)).toBeNull();
      const first = await world.webhooks.list(id, { limit: 1 });
      expect(first.items).toEqual([newer]);
      expect((await world.webhooks.list(id, { limit: 1, after: first.next })).items).toEqual([webhook]);
      expect(await world.webhooks.count(id)).toBe(2);
      expect(await world.webhooks.count(world.theirs.workspace.id)).toBe(0);
      const theirs = world.theirs.workspace.id;
      expect(await world.webhooks.update(theirs, newer.id, { url: 'x' })).toBeNull();
      expect(await world.webhooks.delete(theirs, newer.id)).toBe(false);
    });

    test('a change needs the current version, and changes the named fields only', async () => {
      const { id } = world.ours.workspace;
      const changes = { description: 'Orders', profileIds: null, hidePersonalData: undefined };
      const stale = await world.webhooks.update(id, webhook.id, changes, { version: webhook.version + 1 });
      expect(stale).toBeNull();
      const changed = await world.webhooks.update(id, webhook.id, changes, { version: webhook.version });
      expect(changed).toEqual({ ...webhook, description: 'Orders', version: webhook.version + 1 });
    });

    test('a replaced secret is valid until its overlap ends, and only the latest replaced one', async () => {
      const { id } = world.ours.workspace;
      const replace = (text: string, generation: number, seconds: number) =>
        world.webhooks.replaceSecret(id, webhook.id, secret(text, generation), seconds);
      const read = async () =>
        (await world.webhooks.findSecrets(id, webhook.id)).map(({ generation, sealed }) => [
          generation,
          new TextDecoder().decode(sealed),
        ]);
      await replace('second', 2, 600);
      expect(await read()).toEqual([
        [2, 'second'],
        [1, 'first'],
      ]);
      await replace('third', 3, 600);
      expect(await read()).toEqual([
        [3, 'third'],
        [2, 'second'],
      ]);
      await replace('fourth', 4, 0);
      expect(await read()).toEqual([[4, 'fourth']]);
      expect(await world.webhooks.findSecrets(world.theirs.workspace.id, webhook.id)).toEqual([]);
    });

    test('a lane is claimed once while it has work, and again when it is released', async () => {
      expect(await claim()).toEqual([]);
      await append();
      await append(1, world.theirs);
      const lane = await claimOne();
      expect(lane.webhook).toEqual(webhook);
      expect(await claim()).toEqual([]);
      await world.webhooks.releaseLane(lane);
      const next = await claimOne();
      expect(next.fence).toBe(lane.fence + 1);
      // The first claim is over.
      expect(await world.webhooks.extendLane(lane, 60)).toBe(false);
      expect(await world.webhooks.lockLane(lane)).toBeNull();
      expect(await settle(lane)).toBeNull();
      expect(await world.webhooks.extendLane(next, 60)).toBe(true);
    });

    test('endpoints whose attempts failed are claimed last, and as many as there is room for', async () => {
      const failing = [await add({ failingSince: new Date(0) }), await add({ failingSince: new Date(0) })];
      const healthy = await add();
      await append();
      const claimed = await claim({ lanes: 10, failing: 1 });
      const ids = claimed.map((lane) => lane.webhook.id);
      expect(ids).toHaveLength(3);
      expect(ids).toEqual(expect.arrayContaining([webhook.id, healthy.id]));
      expect(await claim({ lanes: 10, failing: 0 })).toEqual([]);
      const rest = await claim({ lanes: 10, failing: 1 });
      const failed = [...ids, ...rest.map((lane) => lane.webhook.id)].filter((id) =>
        failing.some((one) => one.id === id),
      );
      expect(failed.toSorted()).toEqual(failing.map(({ id }) => id).toSorted());
    });

    test('an expired lease is claimed by another process', async () => {
      await append();
      await claim({ lanes: 10, failing: 10 }, 0.05);
      await world.clock.sleep(100);
      expect(await claim()).toHaveLength(1);
    });

    test('each event has one delivery, due at once, with its event and in its order', async () => {
      await append(3);
      const lane = await claimOne();
      await fill(lane);
      await fill(lane);
      const due = await world.webhooks.listDueDeliveries(lane, 10);
      expect(due.map(({ event }) => event?.data)).toEqual([{ index: 0 }, { index: 1 }, { index: 2 }]);
      expect(due[0]?.event).toEqual(
        (await world.events.list(webhook.workspaceId, { reach: null }, { after: null, limit: 1 })).items[0],
      );
      expect((await list()).items).toHaveLength(3);
      expect((await world.webhooks.lockLane(lane))?.pending).toBe(3);
    });

    test('a settled delivery is not due, a retry is due after its delay', async () => {
      await append(3);
      const lane = await claimOne();
      await fill(lane);
      const [one, two, three] = await world.webhooks.listDueDeliveries(lane, 10);
      if (!one || !two || !three) throw new Error('three are due');
      const settled = await settle(
        lane,
        { id: one.id, attempt, outcome: { kind: 'failed' } },
        { id: two.id, attempt, outcome: { kind: 'retry', inSeconds: 60 } },
      );
      expect(settled?.failingSince).not.toBeNull();
      expect((await world.webhooks.listDueDeliveries(lane, 10)).map(({ id }) => id)).toEqual([three.id]);
      await settle(lane, { id: two.id, attempt, outcome: { kind: 'retry', inSeconds: 0.05 } });
      await world.clock.sleep(100);
      const due = await world.webhooks.listDueDeliveries(lane, 10);
      expect(due.map(({ id, attempts }) => [id, attempts])).toEqual([
        [three.id, 0],
        [two.id, 2],
      ]);
      const rows = new Map((await list()).items.map((row) => [row.id, row]));
      expect(rows.get(one.id)).toMatchObject({
        status: 'failed',
        attempts: 1,
        nextAttemptAt: null,
        lastAttempt: attempt,
        settledAt: expect.any(Date),
      });
      expect(rows.get(two.id)).toMatchObject({ status: 'pending', settledAt: null });
      const success = await settle(lane, { id: two.id, attempt: delivered, outcome: { kind: 'delivered' } });
      expect(success).toEqual({ failingSince: null });
    });

    test('a paused endpoint has no lane until its pause ends', async () => {
      await append();
      const lane = await claimOne();
      const pause = (seconds: number) => world.webhooks.settleDeliveries(lane, [], seconds);
      await pause(60);
      await world.webhooks.releaseLane(lane);
      expect(await claim()).toEqual([]);
      await pause(0.05);
      await world.clock.sleep(100);
      expect(await claim()).toHaveLength(1);
    });

    test('disabling ends its lane and its deliveries; enabled, it begins with new events', async () => {
      await append();
      const lane = await claimOne();
      await fill(lane);
      const { id } = world.ours.workspace;
      const disabled = await world.change(async (tx) => {
        const row = await tx.webhooks.update(id, webhook.id, { disabledReason: 'gone' });
        await tx.webhooks.failPending(id, webhook.id);
        return row;
      });
      expect(disabled).toMatchObject({ disabledReason: 'gone', disabledAt: expect.any(Date) });
      expect((await world.webhooks.listStopped(id, { limit: 10 })).items).toEqual([disabled]);
      expect(await settle(lane)).toBeNull();
      expect((await list()).items).toMatchObject([{ status: 'failed', lastAttempt: { error: 'disabled' } }]);
      await append();
      expect(await claim()).toEqual([]);
      await world.change(async (tx) => {
        const position = await tx.events.findEnd();
        await tx.webhooks.update(id, webhook.id, { disabledReason: null }, { position });
      });
      expect(await world.webhooks.find(id, webhook.id)).toMatchObject({
        disabledReason: null,
        disabledAt: null,
        failingSince: null,
      });
      expect(await claim()).toEqual([]);
      await append();
      expect(await claim()).toHaveLength(1);
    });

    test('a delivery, and a range of events, are delivered again with the same rows', async () => {
      await append(2);
      const { id } = world.ours.workspace;
      const lane = await claimOne();
      await fill(lane);
      const due = await world.webhooks.listDueDeliveries(lane, 10);
      await settle(
        lane,
        ...due.map((one) => ({
          id: one.id,
          attempt: delivered,
          outcome: { kind: 'delivered' } as const,
        })),
      );
      const [first] = due;
      if (!first) throw new Error('two are due');
      const theirs = world.theirs.workspace.id;
      expect(await world.webhooks.restartDelivery(theirs, first.id)).toBeNull();
      const restarted = await world.webhooks.restartDelivery(id, first.id);
      expect(restarted).toMatchObject({ id: first.id, status: 'pending', attempts: 0, settledAt: null });
      expect(await world.webhooks.findDelivery(id, webhook.id, first.id)).toEqual(restarted);
      expect(await world.webhooks.listDueDeliveries(lane, 10)).toHaveLength(1);

      const range = await world.events.findRange(id, new Date(0), new Date('2100-01-01'));
      if (!range) throw new Error('there are events');
      const start = () => world.webhooks.startReplay(id, webhook.id, range);
      expect([await start(), await start()]).toEqual([true, false]);
      await world.change(async (tx) => {
        const state = await tx.webhooks.lockLane(lane);
        expect(state?.replay).toEqual(range);
        const { items } = await tx.events.list(id, { reach: null }, { after: range.after, limit: 10 });
        await tx.webhooks.addDeliveries(
          lane,
          items.map((event) => ({ ...event, deliveryId: world.ids.next('whd') })),
          { kind: 'replay', remaining: null },
        );
      });
      expect(await world.webhooks.listDueDeliveries(lane, 10)).toHaveLength(2);
      expect((await list()).items).toHaveLength(2);
      expect(await start()).toBe(true);
      expect(await world.events.findRange(id, new Date(0), new Date(1))).toBeNull();
    });

    test('the oldest undelivered event is known, also without a lane, and is gone with its endpoint', async () => {
      const oldest = () => world.webhooks.findOldestUndelivered();
      expect(await oldest()).toBeNull();
      await add({ events: ['media.failed'] });
      await add({ profileIds: [world.ours.profile.id] });
      await add({ disabledReason: 'requested', disabledAt: new Date(0) });
      await append(2);
      const { items } = await world.events.list(
        webhook.workspaceId,
        { reach: null },
        { after: null, limit: 1 },
      );
      // No process has a lane yet.
      expect(await oldest()).toEqual(items[0]?.createdAt);
      await fill(await claimOne());
      expect(await oldest()).toEqual((await list()).items.at(-1)?.startedAt);
      expect(await world.webhooks.delete(webhook.workspaceId, webhook.id)).toBe(true);
      expect(await oldest()).toBeNull();
    });

    test('a delivery that is started again waits since then', async () => {
      await append();
      const lane = await claimOne();
      await fill(lane);
      const [due] = await world.webhooks.listDueDeliveries(lane, 1);
      if (!due) throw new Error('one is due');
      await settle(lane, { id: due.id, attempt: delivered, outcome: { kind: 'delivered' } });
      expect(await world.webhooks.findOldestUndelivered()).toBeNull();
      await world.clock.sleep(20);
      const again = await world.webhooks.restartDelivery(webhook.workspaceId, due.id);
      expect(await world.webhooks.findOldestUndelivered()).toEqual(again?.startedAt);
      expect(Number(again?.startedAt)).toBeGreaterThan(Number(again?.createdAt));
    });
  });
}
