import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openApiValidator, pinterestNetwork, type WireRequest } from '@switchboard/simulators';
import { Ajv } from 'ajv';
import { listCalls, buildItem, discardReceipt } from '@switchboard/platform-kit/testing/calls';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { loadFixtures } from '@switchboard/platform-kit/testing/fixture-replay';
import pinterest from './index.js';
import { startWorld } from './testing/world.js';

interface Schema {
  properties?: object;
  allOf?: unknown;
  additionalProperties?: unknown;
}
interface Description {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const directory = process.env['SWITCHBOARD_DESCRIPTIONS_DIR'];

if (directory === undefined) {
  test.skip('NOT CHECKED against the published description: SWITCHBOARD_DESCRIPTIONS_DIR is not set', () => {});
} else {
  describe('against the published description', () => {
    const file = path.join(directory, 'pinterest/openapi.json');
    const description = strict(JSON.parse(readFileSync(file, 'utf8')) as Description);
    const judge = openApiValidator(
      description,
      new Ajv({ strict: false, validateFormats: false, validateSchema: false }),
    );
    let world: Awaited<ReturnType<typeof startWorld>>;
    beforeAll(async () => {
      world = await startWorld();
      const session = testSession(world);
      const options = { board_id: '549755885175/549755885201', cover_second: '2' };
      const about = { title: 'Soup', link: 'https://example.com/soup', options };
      const item = buildItem('With bread', { ...about, media: [imageOf({ altText: 'A bowl' })] });
      const pinned = await pinterest.publishing?.publish(session, item, discardReceipt);
      if (!pinned?.ok) throw new Error('it was not pinned');
      await pinterest.publishing?.find?.(session, { ...item, media: [] });
      await pinterest.analytics?.ofPosts?.(session, [pinned.value.externalId]);
      world.network.media.setProcessingPolls(1);
      for (const media of [[imageOf(), imageOf({ type: 'image/jpeg' })], [videoOf({ altText: 'Waves' })]]) {
        await pinterest.publishing?.publish(session, buildItem('', { media, options }), discardReceipt);
      }
      await pinterest.publishing?.find?.(session, { ...item, media: [] });
      await pinterest.publishing?.remove?.(session, pinned.value);
      for (const call of listCalls(pinterest, () => world)) {
        await call.run(session);
        await call.run(testSession({ ...world, token: world.weakToken }));
      }
    });
    afterAll(() => world.close());

    test('it describes every request and every response of the simulator', () => {
      expect(world.exchanges().flatMap((exchange) => judge(exchange))).toEqual([]);
    });

    test('every operation of Pinterest was exercised', () => {
      const requested = world
        .exchanges()
        .map(({ method, path: at }) => `${method} ${at.replace(/\/(\d+|nothing)(?=\/|$)/, '/id')}`);
      expect([...new Set(requested)].sort()).toEqual([
        'DELETE /pins/id',
        'GET /boards',
        'GET /boards/id/sections',
        'GET /media/id',
        'GET /pins',
        'GET /pins/id',
        'GET /user_account',
        'POST /media',
        'POST /pins',
      ]);
    });

    test('the description covers every recorded fixture response', () => {
      const written = [...loadFixtures(import.meta.dirname).values()].flat();
      const described = written.filter((one) => one.path.startsWith('/v5/'));
      expect(described.length).toBeGreaterThan(0);
      expect(described.flatMap((one) => judge({ ...one, path: one.path.replace('/v5', '') }))).toEqual([]);
    });

    test('a login and its renewal are requested and answered as described', () => {
      const app = { clientId: '1', clientSecret: 's', redirectUris: ['https://ours.example/back'] };
      const { oauth, respondAs } = pinterestNetwork({ apps: [app] });
      const requested = (body: Readonly<Record<string, string>>): WireRequest => ({
        method: 'POST',
        path: '/v5/oauth/token',
        query: new URLSearchParams(),
        body,
        headers: { authorization: `Basic ${Buffer.from('1:s').toString('base64')}` },
      });
      const consent = {
        client_id: '1',
        redirect_uri: 'https://ours.example/back',
        response_type: 'code',
        scope: 'pins:read,pins:write',
        state: 'x',
        decision: 'approve',
      };
      const agreed = respondAs({ ...requested(consent), path: '/oauth/' }, null);
      const code = new URL(agreed.headers?.['location'] ?? '').searchParams.get('code') ?? '';
      const exchange = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: 'https://ours.example/back',
        continuous_refresh: 'true',
      };
      const isDescribed = (sent: Readonly<Record<string, string>>, expectedStatus: number) => {
        const { status, json: response } = respondAs(requested(sent), null);
        expect(status).toBe(expectedStatus);
        const sentAs = 'application/x-www-form-urlencoded';
        expect(
          judge({ method: 'POST', path: '/oauth/token', sent, sentAs, status, answered: response }),
        ).toEqual([]);
      };
      isDescribed(exchange, 200);
      const renewal = { grant_type: 'refresh_token', refresh_token: oauth.refreshTokens()[0] ?? '' };
      isDescribed(renewal, 200);
      isDescribed(renewal, 401);
    });

    test('the validator rejects an undocumented request', () => {
      const base = { method: 'POST', path: '/pins', status: 201, answered: { id: '1' } };
      const image = { source_type: 'image_base64', content_type: 'image/png', data: 'QQ==' };
      const pin = { board_id: '1', media_source: image };
      expect(judge({ ...base, sent: pin })).toEqual([]);
      expect(judge({ ...base, sent: { ...pin, title: 'a'.repeat(101) } })).toHaveLength(1);
      expect(judge({ ...base, sent: { ...pin, note: 'Ours' } })).toHaveLength(1);
      expect(judge({ ...base, sent: { ...pin, board_id: 'soups' } })).toHaveLength(1);
      const webp = { ...image, content_type: 'image/webp' };
      expect(judge({ ...base, sent: { ...pin, media_source: webp } })).not.toEqual([]);
      expect(judge({ ...base, sent: pin, answered: {} })).toHaveLength(1);
      expect(judge({ ...base, sent: pin, status: 400, answered: { error: 'no' } })).not.toEqual([]);
      const listed = { method: 'GET', path: '/pins', status: 200, answered: { items: [] } };
      expect(judge({ ...listed, query: new URLSearchParams({ since: '1' }) })).toHaveLength(1);
    });
  });
}

/** No field that we send or read is undocumented. */
function strict(description: Description): Description {
  const named =
    /^(Pin|Pin(Create|Media).*|Media(Upload.*)?|Account|Board(Base|Section)|Error|Pinterest.Lib.Error)$/;
  for (const [name, schema] of Object.entries(description.components.schemas)) {
    if (named.test(name) && schema.properties && !schema.allOf && name !== 'BoardBase') {
      schema.additionalProperties ??= false;
    }
  }
  return description;
}
