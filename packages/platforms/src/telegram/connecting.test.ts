import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KILN_BOT, KILN_NEWS, type Membership, type TelegramChat } from '@switchboard/simulators';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { connecting } from './connecting.js';
import { startWorld } from './testing/world.js';

let world: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => void (world = await startWorld()));
afterAll(() => world.close());

async function identify(typed: string) {
  const found = await connecting.identify(
    testSession({ ...world, account: { ...world.account, id: typed } }),
  );
  return found.ok ? found.value.map(({ id }) => id) : found.failure.code;
}

test.each([
  '@kilnnews',
  'kilnnews',
  'KilnNews',
  'https://t.me/kilnnews',
  't.me/kilnnews/12',
  'https://t.me/s/kilnnews',
  'telegram.me/kilnnews',
  '-1001234567890',
  'https://t.me/c/1234567890/5',
])('%s is the channel', async (typed) => expect(await identify(typed)).toEqual(['-1001234567890']));

test.each(['@nobody', '-1', 'https://example.com/kilnnews', 'two words', '../getMe'])(
  '%s is not a channel',
  async (typed) => expect(await identify(typed)).toBe('platform.refused'),
);

let next = -5_000;
const chatOf = (more: Partial<TelegramChat>): TelegramChat => ({
  ...KILN_NEWS,
  id: --next,
  username: null,
  membersMayWrite: true,
  ...more,
});

test.each<[string, Partial<TelegramChat>, Membership, boolean]>([
  ['an administrator who may post', { type: 'channel' }, { status: 'administrator', canPost: true }, true],
  ['an administrator who may not', { type: 'channel' }, { status: 'administrator', canPost: false }, false],
  ['a subscriber of a channel', { type: 'channel' }, { status: 'member' }, false],
  ['an administrator of a group', { type: 'group' }, { status: 'administrator', canPost: false }, true],
  ['a member of a chat open to all members', { type: 'supergroup' }, { status: 'member' }, true],
  [
    'a member of a restricted chat',
    { type: 'supergroup', membersMayWrite: false },
    { status: 'member' },
    false,
  ],
  ['one who is restricted', { type: 'supergroup' }, { status: 'restricted', canSend: false }, false],
  ['one with other restrictions', { type: 'group' }, { status: 'restricted', canSend: true }, true],
  ['one who has left', { type: 'group' }, { status: 'left' }, false],
  ['one who was banned', { type: 'channel' }, { status: 'kicked' }, false],
])('%s may post there: it is checked before anything is connected', async (_who, more, membership, may) => {
  const chat = chatOf(more);
  world.network.addChat(chat);
  world.network.join(KILN_BOT, chat, membership);
  expect(await identify(String(chat.id))).toEqual(may ? [String(chat.id)] : 'platform.permission_missing');
});

test('a private chat is not connected', async () => {
  const chat = chatOf({ type: 'private', id: 4_711 });
  world.network.addChat(chat);
  world.network.join(KILN_BOT, chat, { status: 'member' });
  expect(await identify('4711')).toBe('platform.refused');
});

test('a group is identified by the supergroup that it has become', async () => {
  const group = chatOf({ type: 'group', migratedTo: KILN_NEWS.id });
  world.network.addChat(group);
  expect(await identify(String(group.id))).toEqual([String(KILN_NEWS.id)]);
});
