import { badToken, endedToken, instagramNetwork, type InstagramNetwork } from '@switchboard/simulators';
import { CONTAINER } from '../../kit/graph-containers.js';
import { startSimulator, type SimulatedAnswer, type SimulatedRequest } from '../../kit/testing/simulator.js';
import { testMediaAt } from '../../kit/testing/test-media.js';
import { testSession } from '../../kit/testing/session.js';
import type { World } from '../../kit/testing/world.js';
import { connecting } from '../connecting.js';
import { manifest } from '../manifest.js';

export interface InstagramWorld extends World {
  readonly network: InstagramNetwork;
}

/** Instagram as its documentation describes it, with media that the tests made. Its clock moves a second with every look at it. */
export async function startWorld(): Promise<InstagramWorld> {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  const network = instagramNetwork({
    now: () => new Date(++seconds * 1_000),
    postsPerDay: 10_000,
    fetchFile: async (url) => testMediaAt(url)?.content ?? null,
  });
  const permissions = [...new Set(Object.values(manifest.permissions).flat())];
  const ask = async (request: SimulatedRequest, allowed: readonly string[]) => {
    const body = Object.fromEntries(new URLSearchParams(Buffer.from(request.bytes).toString()));
    const bearer = { accountId: ID, permissions: allowed };
    return (await network.answerAs({ ...request, body }, bearer)) as SimulatedAnswer;
  };
  const world = await startSimulator({
    account: { id: ID, username: null, name: null, avatarUrl: null, url: null },
    expired: endedToken,
    unknown: badToken,
    weak: (request) => ask(request, ['instagram_business_basic']),
    call: (request) => ask(request, permissions),
    effects: () => network.media.made(),
    textOf: (id) => network.media.find(id)?.caption ?? network.media.comment(id)?.text ?? '',
    parentOf: (id) => network.media.comment(id)?.mediaId ?? null,
    mediaOf: (id) =>
      (network.media.find(id)?.files ?? []).map(({ type, sha256, altText }) => ({ type, sha256, altText })),
  });
  const { apiVersion } = manifest;
  const found = await connecting.identify(testSession({ ...world, apiVersion }));
  if (!found.ok || !found.value[0]) throw new Error('the world does not know its own account');
  return {
    ...world,
    account: found.value[0],
    network,
    remembered: { [CONTAINER]: '1' },
    requestsBefore: { post: 2 },
    filmsHaveNoWords: true,
  };
}

const ID = '17841400000000001';
