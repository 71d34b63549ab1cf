import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KILN_CHANNEL, KILN_DISCORD_BOT } from '@switchboard/simulators';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { connecting } from './connecting.js';
import { startWorld, type DiscordWorld } from './testing/world.js';

let world: DiscordWorld;
beforeAll(async () => void (world = await startWorld()));
afterAll(() => world.close());

/** During connecting, nothing is granted yet. */
async function identify(typed: string) {
  const account = { ...world.account, id: typed };
  const found = await connecting.identify(testSession({ ...world, account, permissions: [] }));
  return found.ok ? found.value.map(({ id }) => id) : found.failure.code;
}

test.each([
  KILN_CHANNEL.id,
  `https://discord.com/channels/${KILN_CHANNEL.guildId}/${KILN_CHANNEL.id}`,
  `https://ptb.discord.com/channels/${KILN_CHANNEL.guildId}/${KILN_CHANNEL.id}/`,
  `<#${KILN_CHANNEL.id}>`,
])('%s is the channel', async (typed) => expect(await identify(typed)).toEqual([KILN_CHANNEL.id]));

test.each(['', 'news', '#news', '1', 'https://discord.com/channels/@me'])(
  '%j is not a channel',
  async (typed) => expect(await identify(typed)).toBe('platform.refused'),
);

test('a channel that the bot cannot see, or a forum, is not connected', async () => {
  world.network.addChannel({ ...KILN_CHANNEL, id: '41' });
  expect(await identify('41')).toBe('platform.permission_missing');
  const forum = { ...KILN_CHANNEL, id: '42', type: 15 } as const;
  world.network.addChannel(forum);
  world.network.allow(KILN_DISCORD_BOT, forum, 'posts');
  expect(await identify('42')).toBe('platform.refused');
});
