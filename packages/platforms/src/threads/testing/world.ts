import { expiredToken, threadsNetwork } from '@switchboard/simulators';
import { CONTAINER } from '../../graph/graph-containers.js';
import { identifyAccount, startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import { testMediaAt } from '@switchboard/platform-kit/testing/test-media';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { connecting } from '../connecting.js';
import { manifest } from '../manifest.js';

/** Threads as documented, with media created by the tests. */
export async function startWorld() {
  const network = threadsNetwork({
    now: tickingClock(),
    limits: { posts: 10_000, replies: 10_000, deletes: 10_000 },
    fetchFile: async (url) => testMediaAt(url)?.content ?? null,
  });
  const permissions = [...new Set(Object.values(manifest.permissions).flat())];
  const world = await startSimulator({
    account: { id: ID, username: null, name: null, avatarUrl: null, url: null },
    expiredTokenResponse: expiredToken,
    simulator: network,
    owner: { accountId: ID, permissions },
    weakOwner: { accountId: ID, permissions: ['threads_basic'] },
    effects: () => network.posts.createdCount(),
    textOf: (id) => network.posts.find(id)?.text ?? '',
    parentOf: (id) => network.posts.find(id)?.repliedTo ?? null,
    mediaOf: (id) =>
      (network.posts.find(id)?.files ?? []).map(({ type, sha256, altText }) => ({ type, sha256, altText })),
  });
  return {
    ...world,
    removalUnproven:
      'Error 100/33 is returned for an object that was removed, and for one that this login may not see. https://developers.facebook.com/docs/graph-api/guides/error-handling (2026-11-22)',
    account: await identifyAccount(connecting, { ...world, apiVersion: manifest.apiVersion }),
    network,
    remembered: { [CONTAINER]: '1' },
    requestsBefore: { post: 2, thread: 2, comment: 2 },
  } satisfies ExtendedWorld;
}

const ID = '24000000000000001';
