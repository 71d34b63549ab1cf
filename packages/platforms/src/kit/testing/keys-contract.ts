import { describe, expect, test } from '@jest/globals';
import type { ConnectWay, Platform } from '@switchboard/domain';
import { callsOf } from './calls.js';
import {
  basicNamePlace,
  basicPasswordPlace,
  bearerPlace,
  hasKeyOnlyAt,
  headerPlace,
  placeOfKey,
  type KeyPlace,
} from './key-place.js';
import { testSession } from './session.js';
import type { World } from './world.js';

const wrongPlaces = [bearerPlace, headerPlace('x-api-key'), basicNamePlace, basicPasswordPlace];

/** A key that is typed is sent where the platform's description wants it, and nowhere else. */
export function keysContract(platform: Platform, start: () => Promise<World>): void {
  const ways = platform.manifest.connect.filter(({ keyForm }) => keyForm && placeOfKey(keyForm.send));
  if (ways.length === 0) return;
  describe(`${platform.manifest.id} sends a typed key in its place alone:`, () => {
    test.each(ways.map((way) => [way.id, way] as const))('%s', async (_id, way) => {
      const world = await start();
      try {
        expect(await keyViolations(platform, world, way)).toEqual([]);
      } finally {
        await world.close();
      }
    });
  });
}

/** What is wrong with where the key of a way is sent, and with what the simulated platform accepts. */
export async function keyViolations(
  platform: Platform,
  world: World,
  way: Pick<ConnectWay, 'id' | 'keyForm'>,
): Promise<readonly string[]> {
  const sent = way.keyForm && placeOfKey(way.keyForm.send);
  const published = world.keyPlaces?.[way.id];
  const { takeKeysAt, received } = world;
  if (!sent || !published || !takeKeysAt || !received)
    return [`the world does not say where ${way.id} is sent`];
  const session = (key: KeyPlace) =>
    testSession({
      baseUrl: world.baseUrl,
      token: world.token,
      way: way.id,
      key,
      account:
        world.typedAccount === undefined ? world.account : { ...world.account, id: world.typedAccount },
      permissions: world.permissions ?? [],
      subject: world.subject,
      apiVersion: platform.manifest.apiVersion,
    });
  const violations: string[] = [];
  takeKeysAt(published);
  try {
    const before = received().length;
    const account = await platform.connecting.identify(session(sent));
    if (!account.ok) violations.push(`identify is refused: ${account.failure.code}`);
    for (const call of callsOf(platform, () => world)) {
      const result = await call.run(session(sent));
      if (!result.ok && result.failure.code === 'connection.needs_reauth') {
        violations.push(`${call.name} is refused`);
      }
    }
    for (const request of received().slice(before)) {
      const [path = ''] = request.url.replaceAll(world.token, '*').split('?');
      if (!hasKeyOnlyAt(published, world.token, request)) violations.push(`the key is misplaced at ${path}`);
    }
    if (received().length === before) violations.push('nothing is sent');
    // In the path the key is wherever the adapter leaves its place, so that no header is tried.
    for (const wrong of wrongPlaces.filter((place) => !isSame(place, published))) {
      if ('path' in sent) break;
      const taken = await platform.connecting.identify(session(wrong));
      if (taken.ok) violations.push('the simulated platform takes the key in a wrong place');
    }
  } finally {
    takeKeysAt(null);
  }
  return violations;
}

const isSame = (one: KeyPlace, other: KeyPlace) =>
  'header' in one && 'header' in other && one.header === other.header && one.value('k') === other.value('k');
