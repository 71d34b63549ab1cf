import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PublishItem } from '@switchboard/domain/ports';
import {
  botApiValidator,
  KILN_BOT,
  KILN_NEWS,
  type BotApi,
  type TelegramChat,
} from '@switchboard/simulators';
import { Ajv } from 'ajv';
import { listCalls, buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { documentOf, imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { loadFixtures } from '@switchboard/platform-kit/testing/fixture-replay';
import telegram from './index.js';
import { startWorld } from './testing/world.js';

const directory = process.env['SWITCHBOARD_DESCRIPTIONS_DIR'];

if (directory === undefined) {
  test.skip('NOT CHECKED against the published description: SWITCHBOARD_DESCRIPTIONS_DIR is not set', () => {});
} else {
  describe('against the published description', () => {
    const description = JSON.parse(readFileSync(path.join(directory, 'telegram/api.json'), 'utf8')) as BotApi;
    const judge = botApiValidator(description, new Ajv({ strict: false, validateSchema: false }));
    let world: Awaited<ReturnType<typeof startWorld>>;
    beforeAll(async () => {
      world = await startWorld();
      const session = testSession({ ...world, account: { ...world.account, id: 'https://t.me/kilnnews' } });
      await telegram.connecting.identify(session);
      const publish = async (item: PublishItem) => {
        const sent = await telegram.publishing?.publish(testSession(world), item, discardReceipt);
        if (!sent?.ok) throw new Error(JSON.stringify(sent));
        return sent.value;
      };
      const options = { silent: true, protect_content: true, link_preview: 'large' };
      const posted = await publish(buildItem('Described', { link: 'https://example.com/', options }));
      const answers = { root: posted, parent: posted };
      await publish(buildItem('Below', { kind: 'comment', replyTo: answers, options }));
      for (const media of [[imageOf()], [videoOf()], [documentOf({ altText: 'A report' })]]) {
        await publish(buildItem('With media', { media, options, replyTo: answers }));
      }
      const album = await publish(
        buildItem('An album', { media: [imageOf(), videoOf()], options, replyTo: answers }),
      );
      await telegram.publishing?.remove?.(testSession(world), album);
      await telegram.publishing?.publish(testSession(world), buildItem('a'.repeat(4_097)), discardReceipt);
      for (const one of listCalls(telegram).filter(({ name }) => name !== 'publishing.remove')) {
        await one.run(testSession({ ...world, token: world.weakToken }));
      }
      const group: TelegramChat = {
        id: -42,
        type: 'group',
        title: 'Kiln',
        username: null,
        members: 3,
        membersMayWrite: true,
        migratedTo: KILN_NEWS.id,
      };
      world.network.addChat(group);
      for (const [id, membership] of [
        [-43, { status: 'member' }],
        [-44, { status: 'restricted', canSend: false }],
      ] as const) {
        const other: TelegramChat = { ...KILN_NEWS, id, type: 'supergroup', membersMayWrite: true };
        world.network.addChat(other);
        world.network.join(KILN_BOT, other, membership);
        await telegram.connecting.identify(
          testSession({ ...world, account: { ...world.account, id: String(id) } }),
        );
      }
      const moved = testSession({ ...world, account: { ...world.account, id: '-42' } });
      await telegram.publishing?.publish(moved, buildItem('Moved'), discardReceipt);
    });
    afterAll(() => world.close());

    test('it describes every request and every response of the simulator', () => {
      expect(world.calls().flatMap((one) => judge(one))).toEqual([]);
    });

    test('it describes every recorded fixture response', () => {
      const written = [...loadFixtures(import.meta.dirname).values()].flat();
      expect(written.length).toBeGreaterThan(0);
      const answers = written.map(({ path: at, status, answered }) => {
        const method = at.split('/').at(-1) ?? '';
        return judge({ method, status, answered }).filter((fault) => fault.startsWith(`${method} answered`));
      });
      expect(answers.flat()).toEqual([]);
    });

    test('every method was exercised', () => {
      expect([...new Set(world.calls().map(({ method }) => method))].sort()).toEqual([
        ...['deleteMessage', 'getChat', 'getChatMember', 'getMe'],
        ...['sendDocument', 'sendMediaGroup', 'sendMessage', 'sendPhoto', 'sendVideo'],
      ]);
    });

    test('the validator rejects an undocumented request', () => {
      const base = { method: 'deleteMessage', status: 200, answered: { ok: true, result: true } };
      expect(judge({ ...base, sent: { chat_id: 1, message_id: 2 } })).toEqual([]);
      expect(judge({ ...base, sent: { chat_id: '@a', message_id: '2' }, isForm: true })).toEqual([]);
      for (const sent of [
        { chat_id: 1 },
        { chat_id: 1, message_id: '2' },
        { chat_id: 1, message_id: 2, x: 1 },
      ]) {
        expect(judge({ ...base, sent })).not.toEqual([]);
      }
      const sent = { chat_id: 1, message_id: 2 };
      expect(judge({ ...base, sent, answered: { ok: true } })).not.toEqual([]);
      expect(judge({ ...base, sent, status: 400 })).not.toEqual([]);
      expect(judge({ ...base, sent, method: 'nothing' })).toEqual(['nothing is not described']);
    });
  });
}
