import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PublishItem } from '@switchboard/domain/ports';
import { KILN_CHANNEL, KILN_WEBHOOK, openApiValidator } from '@switchboard/simulators';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { listCalls, buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { documentOf, imageOf } from '@switchboard/platform-kit/testing/test-media';
import { loadFixtures } from '@switchboard/platform-kit/testing/fixture-replay';
import discord from './index.js';
import { startWorld, type DiscordWorld } from './testing/world.js';

interface Schema {
  properties?: Record<string, unknown>;
  additionalProperties?: unknown;
}
interface Description {
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, object>>;
  };
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses?: Record<string, unknown> }>>>
  >;
}

const directory = process.env['SWITCHBOARD_DESCRIPTIONS_DIR'];

if (directory === undefined) {
  test.skip('NOT CHECKED against the published description: SWITCHBOARD_DESCRIPTIONS_DIR is not set', () => {});
} else {
  describe('against the published description', () => {
    const description = JSON.parse(
      readFileSync(path.join(directory, 'discord/openapi.json'), 'utf8'),
    ) as Description;
    const judge = openApiValidator(
      strict(description),
      new Ajv2020({ strict: false, validateFormats: false, validateSchema: false }),
    );
    const worlds: DiscordWorld[] = [];
    const exchanges = () => worlds.flatMap((world) => world.exchanges());
    beforeAll(async () => {
      for (const as of ['bot', 'webhook'] as const) {
        const world = await startWorld(as);
        worlds.push(world);
        const session = testSession(world);
        const publish = (item: PublishItem) => discord.publishing?.publish(session, item, discardReceipt);
        const options = { silent: true, mentions: 'everyone', hide_link_previews: true };
        const posted = await publish(buildItem('Described', { link: 'https://example.com/', options }));
        if (!posted?.ok) throw new Error(JSON.stringify(posted));
        const answers = { root: posted.value, parent: posted.value };
        await publish(buildItem('Below', { kind: 'comment', replyTo: answers, options }));
        await publish(
          buildItem('With files', { media: [imageOf({ altText: 'Teal' }), documentOf()], options }),
        );
        const titled = buildItem('Titled', { title: 'The spring list', link: 'https://example.com/' });
        if (!(await publish(titled))?.ok) throw new Error('it was not published');
        await discord.publishing?.find?.(session, titled);
        await discord.analytics?.ofPosts?.(session, [posted.value.externalId, '1']);
        await discord.publishing?.find?.(session, buildItem('Described', { link: 'https://example.com/' }));
        await discord.publishing?.remove?.(session, posted.value);
        await discord.publishing?.remove?.(session, posted.value);
        const account = { ...world.account, id: world.enteredAccount ?? '' };
        await discord.connecting.identify(testSession({ ...world, account }));
        if (as === 'webhook') continue;
        // The description states the maximum length of a webhook's text, so the validator would reject the
        // request itself.
        await publish(buildItem('a'.repeat(2_001)));
        for (const one of listCalls(discord).filter(({ name }) => !/remove|ofPosts/.test(name))) {
          await one.run(testSession({ ...world, token: world.weakToken }));
        }
      }
    });
    afterAll(() => Promise.all(worlds.map((world) => world.close())));

    test('it describes every request and every response of the simulator', () => {
      expect(exchanges().flatMap((exchange) => judge(exchange))).toEqual([]);
    });

    test('it describes every recorded fixture response', () => {
      const written = [...loadFixtures(import.meta.dirname).values()].flat();
      expect(written.length).toBeGreaterThan(0);
      const checked = written.map((one) => ({ ...one, path: one.path.replace('/api/v10', '') }));
      expect(checked.flatMap((exchange) => judge(exchange))).toEqual([]);
    });

    test('every operation of Discord was exercised', () => {
      const requested = exchanges().map(
        ({ method, path: at }) =>
          `${method} ${at.replace(/webhooks\/\d+\/[^/]+/, 'webhooks/id/key').replace(/\d{2,}|\/1$/g, 'id')}`,
      );
      expect([...new Set(requested)].sort()).toEqual([
        'DELETE /channels/id/messages/id',
        'DELETE /webhooks/id/key/messages/id',
        'GET /channels/id',
        'GET /channels/id/messages',
        'GET /channels/id/messages/id',
        'GET /channels/id/messagesid',
        'GET /users/@me',
        'GET /webhooks/id/key',
        'GET /webhooks/id/key/messages/id',
        'GET /webhooks/id/key/messagesid',
        'POST /channels/id/messages',
        'POST /webhooks/id/key',
      ]);
    });

    test('the validator rejects an undocumented request', () => {
      const messages = { method: 'POST', path: `/channels/${KILN_CHANNEL.id}/messages`, status: 200 };
      const [posted] = exchanges().filter(
        ({ method, path: at }) => method === 'POST' && at === messages.path,
      );
      const base = { ...messages, answered: posted?.answered };
      expect(judge({ ...base, sent: { content: 'a', nonce: 'b', enforce_nonce: true } })).toEqual([]);
      for (const sent of [{ content: 1 }, { nonce: 'b'.repeat(26) }, { text: 'a' }, { attachments: [{}] }]) {
        expect(judge({ ...base, sent })).not.toEqual([]);
      }
      expect(judge({ ...base, answered: { id: '1' }, sent: {} })).not.toEqual([]);
      expect(judge({ ...base, status: 400, answered: { error: 'no' }, sent: {} })).not.toEqual([]);
      const at = `/webhooks/${KILN_WEBHOOK.id}/key`;
      expect(judge({ ...base, path: at, sent: { content: 'a', nonce: 'b' } })).not.toEqual([]);
      expect(judge({ ...base, path: at, query: new URLSearchParams({ waits: 'true' }) })).not.toEqual([]);
    });
  });
}

/**
 * What the description states of all refusals is applied to each, and unnamed fields are not sent. It
 * declares the code of a field's error as a number, where the documentation shows a word
 * (docs.discord.com/developers/reference#error-messages).
 */
function strict(description: Description): Description {
  const { schemas, responses } = description.components;
  for (const [name, schema] of Object.entries(schemas)) {
    if (/Request|Partial/.test(name) && schema.properties) schema.additionalProperties ??= false;
  }
  const properties = { code: { type: 'string' }, message: { type: 'string' } };
  const items = { type: 'object', required: ['code', 'message'], properties };
  const { InnerErrors: inner } = schemas;
  if (inner) inner.properties = { _errors: { type: 'array', items } };
  for (const operation of Object.values(description.paths).flatMap((methods) => Object.values(methods))) {
    if (operation.responses?.['4XX']) operation.responses['default'] = responses['ClientErrorResponse'];
  }
  return description;
}
