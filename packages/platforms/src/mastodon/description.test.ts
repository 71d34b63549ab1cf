import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PublishItem } from '@switchboard/domain/ports';
import { openApiValidator } from '@switchboard/simulators';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { listCalls, buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { testSession } from '@switchboard/platform-kit/testing/session';
import mastodon from './index.js';
import { startWorld } from './testing/world.js';

interface Description {
  readonly paths: {
    readonly '/api/v1/statuses': {
      readonly post: {
        readonly requestBody: {
          readonly content: { readonly 'application/json': { schema: { oneOf?: unknown; anyOf?: unknown } } };
        };
      };
    };
  };
}

const directory = process.env['SWITCHBOARD_DESCRIPTIONS_DIR'];

if (directory === undefined) {
  test.skip('NOT CHECKED against the published description: SWITCHBOARD_DESCRIPTIONS_DIR is not set', () => {});
} else {
  describe('against the published description', () => {
    const file = path.join(directory, 'mastodon/schema.json');
    const description = JSON.parse(readFileSync(file, 'utf8')) as Description;
    // The description declares a text, media and a poll of a status as "one of", so that no status could have
    // a text and media.
    const { schema } = description.paths['/api/v1/statuses'].post.requestBody.content['application/json'];
    schema.anyOf = schema.oneOf;
    delete schema.oneOf;
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
    const judge = openApiValidator(description, ajv);
    let world: Awaited<ReturnType<typeof startWorld>>;
    beforeAll(async () => {
      world = await startWorld();
      const session = testSession(world);
      const options = { visibility: 'private', sensitive: true, spoiler_text: 'Food', language: 'ca' };
      const publish = async (item: PublishItem) => {
        const sent = await mastodon.publishing?.publish(session, item, discardReceipt);
        if (!sent?.ok) throw new Error('it was not published');
        return sent.value;
      };
      const posted = await publish(buildItem('Described', { options }));
      const { externalId, url } = posted;
      await mastodon.publishing?.find?.(session, buildItem('Described', { options }));
      await mastodon.analytics?.ofPosts?.(session, [externalId]);
      const part = { index: 0, status: 'published', externalId, url, receipt: {} } as const;
      await mastodon.publishing?.remove?.(session, part);
      await mastodon.publishing?.publish(session, buildItem('a'.repeat(501)), discardReceipt);
      const answers = { root: posted, parent: posted };
      await mastodon.publishing?.publish(
        session,
        buildItem('To no account', { replyTo: answers }),
        discardReceipt,
      );
      world.instance.media.setProcessingPolls(1);
      const again = await publish(
        buildItem('With media', { media: [imageOf({ altText: 'Teal' }), imageOf()] }),
      );
      await mastodon.publishing?.edit?.(session, again, buildItem('Edited with media', { mediaCount: 2 }));
      await publish(buildItem('Below', { kind: 'thread', replyTo: { root: again, parent: again } }));
      await publish(buildItem('', { media: [videoOf({ altText: 'Waves' })] }));
      world.instance.media.setProcessingFails(true);
      const unusable = buildItem('Unusable', { media: [videoOf()] });
      await mastodon.publishing?.publish(session, unusable, discardReceipt);
      const tooLarge = buildItem('Too large', { media: [imageOf({ bytes: 1_048_576 })] });
      await mastodon.publishing?.publish(session, tooLarge, discardReceipt);
      world.instance.media.vacuum();
      const lost = buildItem('Lost', { media: [imageOf()], receipt: { media_0: '22348600' } });
      await mastodon.publishing?.publish(session, lost, discardReceipt);
      for (const call of listCalls(mastodon)) {
        await call.run(session);
        await call.run(testSession({ ...world, token: world.weakToken }));
      }
    });
    afterAll(() => world.close());

    test('it describes every request and every response of the simulator', () => {
      expect(world.exchanges().flatMap((exchange) => judge(exchange))).toEqual([]);
    });

    test('every operation of a server was exercised', () => {
      const requested = world
        .exchanges()
        .map(({ method, path: at }) => `${method} ${at.replace(/\d{5,}/, 'id')}`);
      expect([...new Set(requested)].sort()).toEqual([
        'DELETE /api/v1/statuses/id',
        'DELETE /api/v1/statuses/nothing',
        'GET /api/v1/accounts/id',
        'GET /api/v1/accounts/id/statuses',
        'GET /api/v1/accounts/verify_credentials',
        'GET /api/v1/media/id',
        'GET /api/v1/statuses',
        'GET /api/v1/statuses/id',
        'GET /api/v1/statuses/id/source',
        'GET /api/v1/statuses/nothing',
        'GET /api/v1/statuses/nothing/source',
        'GET /api/v2/instance',
        'POST /api/v1/statuses',
        'POST /api/v2/media',
        'PUT /api/v1/statuses/id',
        'PUT /api/v1/statuses/nothing',
      ]);
    });

    test('the validator rejects an undocumented request', () => {
      const base = { method: 'POST', path: '/api/v1/statuses', status: 200 };
      expect(judge({ ...base, sent: { status: 1 }, answered: {} })).not.toEqual([]);
      const upload = {
        method: 'POST',
        path: '/api/v2/media',
        status: 200,
        answered: { id: '1', type: 'image' },
      };
      const form = { ...upload, sentAs: 'multipart/form-data' };
      expect(judge({ ...form, sent: { file: { bytes: new Uint8Array() }, description: 'Teal' } })).toEqual(
        [],
      );
      expect(judge({ ...form, sent: { description: 'Teal' } })).toHaveLength(1);
      expect(judge({ ...upload, sentAs: 'application/json', sent: {} })).toHaveLength(1);
      expect(judge({ ...base, path: '/api/v1/nothing' })).toEqual(['POST /api/v1/nothing is not described']);
    });
  });
}
