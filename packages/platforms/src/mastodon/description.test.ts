import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openApiJudge } from '@switchboard/simulators';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { callsOf, itemOf, nothingKept } from '../kit/testing/calls.js';
import { testSession } from '../kit/testing/session.js';
import mastodon from './index.js';
import { startWorld, type MastodonWorld } from './testing/world.js';

const directory = process.env['SWITCHBOARD_DESCRIPTIONS_DIR'];

if (directory === undefined) {
  test.skip('NOT CHECKED against the published description: SWITCHBOARD_DESCRIPTIONS_DIR is not set', () => {});
} else {
  describe('by the published description', () => {
    const file = path.join(directory, 'mastodon/schema.json');
    const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
    const judge = openApiJudge(JSON.parse(readFileSync(file, 'utf8')) as object, ajv);
    let world: MastodonWorld;
    beforeAll(async () => {
      world = await startWorld();
      const session = testSession(world);
      const options = { visibility: 'private', sensitive: true, spoiler_text: 'Food', language: 'ca' };
      const posted = await mastodon.publishing?.publish(
        session,
        itemOf('Described', { options }),
        nothingKept,
      );
      if (!posted?.ok) throw new Error('it was not published');
      const { externalId, url } = posted.value;
      await mastodon.publishing?.find?.(session, itemOf('Described', { options }));
      await mastodon.analytics?.ofPosts(session, [externalId]);
      const part = { index: 0, status: 'published', externalId, url, receipt: {} } as const;
      await mastodon.publishing?.remove?.(session, part);
      await mastodon.publishing?.publish(session, itemOf('a'.repeat(501)), nothingKept);
      for (const call of callsOf(mastodon)) {
        await call.run(session);
        await call.run(testSession({ ...world, token: world.weakToken }));
      }
    });
    afterAll(() => world.close());

    test('every request is one that it describes, and every answer of the simulator too', () => {
      expect(world.exchanges().flatMap((exchange) => judge(exchange))).toEqual([]);
    });

    test('everything that is asked of a server was asked', () => {
      const asked = world
        .exchanges()
        .map(({ method, path: at }) => `${method} ${at.replace(/\d{5,}/, 'id')}`);
      expect([...new Set(asked)].sort()).toEqual([
        'DELETE /api/v1/statuses/id',
        'DELETE /api/v1/statuses/nothing',
        'GET /api/v1/accounts/id',
        'GET /api/v1/accounts/id/statuses',
        'GET /api/v1/accounts/verify_credentials',
        'GET /api/v1/statuses',
        'GET /api/v1/statuses/id/source',
        'GET /api/v2/instance',
        'POST /api/v1/statuses',
      ]);
    });

    test('a judge finds fault with what is not described', () => {
      const base = { method: 'POST', path: '/api/v1/statuses', status: 200 };
      expect(judge({ ...base, sent: { status: 1 }, answered: {} })).not.toEqual([]);
      expect(judge({ ...base, path: '/api/v1/nothing' })).toEqual(['POST /api/v1/nothing is not described']);
    });
  });
}
