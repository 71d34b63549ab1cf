import { describe, expect, test } from '@jest/globals';
import type { Connection } from '../../src/connections/connection.js';
import type { Delivery } from '../../src/deliveries/delivery.js';
import { settleDeliveries, type SettlePorts } from '../../src/deliveries/settle-delivery.js';
import { type CreateStorage, useStorageWorld } from './storage-world.js';

const HOUR_MS = 3_600_000;
const FOUND = 'what was found';

export function conflictingDeliveriesContract(make: CreateStorage): void {
  describe('a post found at an account', () => {
    const world = useStorageWorld(make);

    /** An account that no other test uses, connected to the given number of profiles. */
    async function createConnections(many: number): Promise<readonly Connection[]> {
      const profiles = Array.from({ length: many }, () => world.build.profile(world.ours.workspace));
      const { account } = world.build.connection(world.ours.profile);
      const connections = profiles.map((profile) => world.build.connection(profile, { account }));
      await world.insert(...profiles, ...connections);
      return connections;
    }

    async function stored(connection: Connection, over: Partial<Delivery> = {}): Promise<Delivery> {
      const post = world.build.post(world.ours.profile, [connection], {}, over);
      await world.insert(post);
      const [delivery] = post.deliveries;
      if (!delivery) throw new Error('a post without a delivery');
      return delivery;
    }
    const published = (externalId: string | null, publishedAt = world.clock.now()): Partial<Delivery> => ({
      status: 'published',
      publishedAt,
      parts: [world.build.part({ status: 'published', externalId })],
    });

    test('may belong to a delivery with its id or to one being sent there, of any connection', async () => {
      const [door, other] = (await createConnections(2)) as [Connection, Connection];
      const [elsewhere] = (await createConnections(1)) as [Connection];
      const unconfirmed = await stored(door, { ...published(FOUND), status: 'unknown' });
      const conflicts = [
        await stored(door, published(FOUND)),
        await stored(other, { ...published(FOUND), status: 'deleted' }),
        await stored(other, { status: 'sending' }),
        await stored(door, published(null)),
      ];
      const later = world.build.part({ index: 1, status: 'published', externalId: FOUND });
      const thread = published('its root');
      conflicts.push(await stored(door, { ...thread, parts: [...(thread.parts ?? []), later] }));
      await stored(door, published('something else'));
      await stored(door, published(FOUND, new Date(unconfirmed.scheduledAt.getTime() - 25 * HOUR_MS)));
      await stored(door);
      await stored(door, { status: 'unknown' });
      await stored(elsewhere, published(FOUND));
      await stored(elsewhere, { status: 'sending' });
      const otherServer = world.build.connection(world.ours.profile, {
        account: door.account,
        accountServer: 'other.example',
      });
      await world.insert(otherServer);
      await stored(otherServer, published(FOUND));
      const listed = await world.deliveries.listConflicting(unconfirmed, FOUND);
      expect(listed.map(({ id }) => id).sort()).toEqual(conflicts.map(({ id }) => id).sort());
    });

    test('is assigned to only one of ten that find it concurrently', async () => {
      const [door] = (await createConnections(1)) as [Connection];
      const lost = await Promise.all(Array.from({ length: 10 }, () => stored(door, { status: 'unknown' })));
      const { transactions, clock, ids } = world;
      const ports: SettlePorts = {
        transactions,
        clock,
        ids,
        platforms: { find: () => null, list: () => [] },
      };
      const publishedAt = clock.now();
      const progress = { parts: published(FOUND).parts ?? [], externalId: FOUND, url: null, publishedAt };
      await Promise.all(
        lost.map((delivery) =>
          settleDeliveries(ports, [{ delivery, outcome: { kind: 'published', progress } }]),
        ),
      );
      const outcomes = await Promise.all(
        lost.map(async ({ workspaceId, id }) => (await world.deliveries.find(workspaceId, id))?.status),
      );
      const reviews = Array.from({ length: 9 }, () => 'needs_review');
      expect(outcomes.sort()).toEqual([...reviews, 'published']);
    });
  });
}
