import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RemoteAccount } from '@switchboard/domain/connections';
import type { PlatformResponse, Session } from '@switchboard/domain/ports';
import { testSession } from '@switchboard/platform-kit/testing/session';
import { connecting } from './connecting.js';
import { DEFAULT_LIMITS, DEFAULT_MEDIA } from './manifest.js';
import { publishing } from './publishing.js';
import { startWorld } from './testing/world.js';

const INSTANCE = '/api/v2/instance';

let world: Awaited<ReturnType<typeof startWorld>>;
let session: Session;
beforeAll(async () => {
  world = await startWorld();
  session = testSession(world);
});
afterAll(() => world.close());

const limitsOf = async (by: Session) => {
  const found = await connecting.identify(by);
  const [account] = found.ok ? found.value : [];
  return { textLimits: account?.textLimits, mediaLimits: account?.mediaLimits };
};

/** A session to a server with a changed instance description. */
const reported = (status: number, json: unknown, account: RemoteAccount = session.account): Session => ({
  ...session,
  account,
  request: async (request) => {
    const response: PlatformResponse = {
      status,
      ok: status < 400,
      headers: {},
      body: new Uint8Array(),
      json,
    };
    return request.path === INSTANCE ? { ok: true, value: response } : session.request(request);
  },
});

describe('an account has the limits of its server', () => {
  test('as reported, with the file limit exclusive', async () => {
    world.instance.limitTo({
      maxCharacters: 5_000,
      attachmentsMax: 16,
      descriptionLimit: 10_000,
      imageSizeLimit: 8_388_608,
      videoSizeLimit: 41_943_040,
      types: ['image/jpeg', 'image/jxl', 'video/mp4', 'audio/mpeg'],
    });
    const now = {
      textLimits: { max: 5_000, perLink: 23 },
      mediaLimits: {
        max: 16,
        mixed: false,
        required: false,
        altTextMax: 10_000,
        fetches: false,
        images: {
          max: 16,
          types: ['image/jpeg', 'image/jxl'],
          maxBytes: 8_388_607,
          maxPixels: 33_177_600,
        },
        videos: { max: 1, types: ['video/mp4'], maxBytes: 41_943_039 },
        documents: null,
      },
    };
    expect(await limitsOf(session)).toEqual(now);
    expect(await publishing.options?.(session)).toEqual({ ok: true, value: now });
    world.instance.limitTo({ types: ['image/png'] });
    expect(await limitsOf(session)).toMatchObject({ mediaLimits: { videos: null } });
  });

  test('defaults, if it reports none', async () => {
    const shipped = { textLimits: DEFAULT_LIMITS, mediaLimits: DEFAULT_MEDIA };
    const bare = { configuration: { statuses: { max_characters: 500 } } };
    for (const silent of [reported(200, bare), reported(404, { error: 'Record not found' })]) {
      expect(await limitsOf(silent)).toEqual(shipped);
      expect(await publishing.options?.(silent)).toEqual({ ok: true, value: shipped });
    }
  });

  test('as last reported, if it does not respond now', async () => {
    const textLimits = { max: 9_000, perLink: 5 };
    const mediaLimits = { ...DEFAULT_MEDIA, max: 9 };
    const known = { ...world.account, textLimits, mediaLimits };
    expect(await limitsOf(reported(400, { error: 'Maintenance' }, known))).toEqual({
      textLimits,
      mediaLimits,
    });
    const other = { ...known, id: `7@${new URL(world.baseUrl).host}` };
    expect(await limitsOf(reported(400, { error: 'Maintenance' }, other))).toEqual({
      textLimits: DEFAULT_LIMITS,
      mediaLimits: DEFAULT_MEDIA,
    });
  });
});
