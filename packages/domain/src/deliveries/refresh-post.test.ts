import { describe, expect, test } from '@jest/globals';
import { refuse } from '../failure.js';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import type { PlatformFailureCode, Publishing } from '../ports/index.js';
import { getPostHistory } from '../posts/get-post-history.js';
import { ok, type Result } from '../result.js';
import type { DeliveryStatus } from './delivery.js';
import { refreshPost } from './refresh-post.js';
import { unpublishPost } from './unpublish-post.js';

type ExistsAnswer = Result<boolean, PlatformFailureCode> | 'throws' | 'hangs';

const HOUR_MS = 3_600_000;

interface SceneOptions {
  readonly canBeAsked?: boolean;
  readonly status?: DeliveryStatus;
  readonly publishedMsAgo?: number;
}

/** A post that was published an hour ago, with a reply, on each of these platforms. */
async function scene(
  answersOf: (id: string) => ExistsAnswer | Promise<ExistsAnswer> = () => ok(true),
  { canBeAsked = true, status = 'published', publishedMsAgo = HOUR_MS }: SceneOptions = {},
) {
  const asked: string[] = [];
  const exists: NonNullable<Publishing['exists']> = async (session, { externalId }) => {
    asked.push(externalId);
    const answer = await answersOf(externalId);
    if (answer === 'throws') throw new Error('a bug in an adapter');
    if (answer === 'hangs') return new Promise<never>(() => undefined);
    return answer;
  };
  const it = await createTestEnvironment([memorySocial(canBeAsked ? { exists } : {})]);
  const post = it.build.post(it.profile, [await it.connect(), await it.connect()]);
  const publishedAt = new Date(it.clock.now().getTime() - publishedMsAgo);
  const deliveries = post.deliveries.map((delivery, at) => ({
    ...delivery,
    status,
    publishedAt,
    parts: [
      it.build.part({ status: 'published', externalId: `post ${at}` }),
      it.build.part({ index: 1, kind: 'thread', status: 'published', externalId: `reply ${at}` }),
    ],
  }));
  await it.repositories.posts.insert({ ...post, deliveries });
  const refresh = async (call = it.call()) => {
    const result = await refreshPost(it.ports, call, { id: post.id, refresh: true });
    if (!result.ok) throw new Error(result.failure.code);
    return result.value;
  };
  return {
    ...it,
    post,
    asked,
    refresh,
    /** The status of each delivery, or the code of what is unknown. */
    async presence() {
      const { deliveries: checked, checks } = await refresh();
      return checked.map(({ id }) => {
        const check = checks?.get(id);
        return check?.failure?.code ?? check?.status;
      });
    },
    removed: async () => {
      const found = await it.repositories.posts.find(it.workspace.id, post.id);
      return found?.deliveries.map(({ parts }) => parts.map(({ removedAt }) => removedAt ?? null));
    },
    typesOf: () => it.events().map(({ type }) => type),
  };
}

test('no platform is asked without a refresh', async () => {
  const it = await scene();
  const read = await refreshPost(it.ports, it.call(), { id: it.post.id });
  expect(read).toMatchObject({ ok: true, value: { id: it.post.id } });
  expect(read.ok && read.value.checks).toBeUndefined();
  expect(it.asked).toEqual([]);
});

test('every part of every published delivery is asked for, and what exists changes nothing', async () => {
  const it = await scene();
  const { version } = await it.refresh();
  expect(await it.presence()).toEqual(['exists', 'exists']);
  expect(new Set(it.asked)).toEqual(new Set(['post 0', 'reply 0', 'post 1', 'reply 1']));
  expect(it.typesOf()).toEqual([]);
  expect((await it.refresh()).version).toBe(version);
});

test('a removal that the platform proves is recorded with its time, in the history, and as one event', async () => {
  const it = await scene((id) => ok(id !== 'post 1'));
  const before = it.clock.now().getTime();
  expect(await it.presence()).toEqual(['exists', 'removed']);
  const first = await it.removed();
  const at = first?.[1]?.[0] ?? '';
  expect(first).toEqual([
    [null, null],
    [at, null],
  ]);
  expect(Date.parse(at)).toBeGreaterThanOrEqual(before);
  it.clock.advance(HOUR_MS);
  expect(await it.presence()).toEqual(['exists', 'removed']);
  expect(await it.removed()).toEqual(first);
  const removedId = it.post.deliveries[1]?.id;
  expect(it.events()).toMatchObject([
    {
      type: 'post.removed_at_platform',
      profileId: it.profile.id,
      data: { post_id: it.post.id, status: 'published', removed_delivery_ids: [removedId] },
    },
  ]);
  const history = await getPostHistory(it.ports, it.call(), { id: it.post.id });
  expect(history.ok && history.value.map(({ deliveryId, outcome }) => [deliveryId, outcome])).toEqual([
    [removedId, 'removed_at_platform'],
  ]);
});

test('of two refreshes at once, one writes the event', async () => {
  const it = await scene(() => ok(false));
  await Promise.all([it.refresh(), it.refresh()]);
  expect(it.typesOf()).toEqual(['post.removed_at_platform']);
});

test('a reply that was removed does not make its post removed', async () => {
  const it = await scene((id) => ok(!id.startsWith('reply')));
  expect(await it.presence()).toEqual(['exists', 'exists']);
  expect(await it.removed()).toEqual([
    [null, expect.any(String)],
    [null, expect.any(String)],
  ]);
  expect(it.events()).toMatchObject([
    { data: { removed_delivery_ids: it.post.deliveries.map(({ id }) => id) } },
  ]);
});

test('a post that is back at its platform is recorded as such, and may be removed again', async () => {
  let isThere = false;
  const it = await scene(() => ok(isThere));
  await it.refresh();
  isThere = true;
  expect(await it.presence()).toEqual(['exists', 'exists']);
  expect((await it.removed())?.flat()).toEqual([null, null, null, null]);
  isThere = false;
  await it.refresh();
  expect(it.typesOf()).toEqual(['post.removed_at_platform', 'post.updated', 'post.removed_at_platform']);
});

describe('nothing is recorded, and the platform is reported as unknown,', () => {
  const uncertain: readonly PlatformFailureCode[] = [
    'platform.unavailable',
    'platform.rate_limited',
    'platform.outcome_unknown',
    'platform.invalid_response',
    'platform.permission_missing',
    'platform.refused',
    'connection.needs_reauth',
  ];
  test.each(uncertain)('where it answers %s', async (code) => {
    const it = await scene(() => refuse(code, 'It did.'));
    expect(await it.presence()).toEqual([code, code]);
    expect((await it.removed())?.flat()).toEqual([null, null, null, null]);
    expect(it.typesOf()).toEqual([]);
  });

  test('where it cannot be asked', async () => {
    const it = await scene(() => ok(false), { canBeAsked: false });
    expect(await it.presence()).toEqual(['platform.refused', 'platform.refused']);
    expect(it.typesOf()).toEqual([]);
  });

  test('where its adapter throws, while the other deliveries are checked', async () => {
    const it = await scene((id) => (id === 'post 0' ? 'throws' : ok(true)));
    expect(await it.presence()).toEqual(['platform.invalid_response', 'exists']);
  });

  test('where it does not respond before the request ends', async () => {
    const ended = new AbortController();
    const it = await scene((id) => {
      if (id === 'post 0') ended.abort();
      return id === 'post 0' ? 'hangs' : ok(true);
    });
    const { checks } = await it.refresh({ ...it.call(), signal: ended.signal });
    expect(checks?.get(it.post.deliveries[0]?.id ?? it.ids.next('dlv'))).toMatchObject({
      status: 'unknown',
      failure: { code: 'platform.outcome_unknown' },
    });
    expect(it.typesOf()).toEqual([]);
  });

  test('where it does not find what was published less than five minutes ago', async () => {
    const it = await scene(() => ok(false), { publishedMsAgo: 4 * 60_000 });
    expect(await it.presence()).toEqual(['platform.outcome_unknown', 'platform.outcome_unknown']);
    expect(it.typesOf()).toEqual([]);
    it.clock.advance(2 * 60_000);
    expect(await it.presence()).toEqual(['removed', 'removed']);
  });
});

test.each<DeliveryStatus>(['sending', 'unknown', 'needs_review', 'deleted', 'cancelled'])(
  'a delivery that is %s is not asked for',
  async (status) => {
    const it = await scene(() => ok(false), { status });
    expect((await it.refresh()).checks?.size).toBe(0);
    expect(it.asked).toEqual([]);
  },
);

test('what was unpublished while its platform was asked is deleted, and not removed by others', async () => {
  let unpublish: () => Promise<unknown> = async () => undefined;
  const it = await scene(async () => {
    await unpublish();
    return ok(false);
  });
  unpublish = () => {
    unpublish = async () => undefined;
    return unpublishPost(it.ports, it.call(), { id: it.post.id });
  };
  await it.refresh();
  expect((await it.removed())?.flat()).toEqual([null, null, null, null]);
  expect(it.typesOf()).not.toContain('post.removed_at_platform');
});

test('a post out of reach is not found', async () => {
  const it = await scene();
  expect(await refreshPost(it.ports, it.call(), { id: it.ids.next('pst'), refresh: true })).toMatchObject({
    ok: false,
    failure: { code: 'post.not_found' },
  });
});
