import {
  badToken,
  expiredToken,
  INSTAGRAM_PAGE_PERMISSIONS,
  INSTAGRAM_PERMISSIONS,
  instagramNetwork,
  type GraphBearer,
  type InstagramNetwork,
} from '@switchboard/simulators';
import { CONTAINER } from '../../kit/graph-containers.js';
import {
  startSimulator,
  type SimulatedResponse,
  type SimulatedRequest,
} from '../../kit/testing/simulator.js';
import { testMediaAt, videoOf } from '../../kit/testing/test-media.js';
import { testSession } from '../../kit/testing/session.js';
import type { World } from '../../kit/testing/world.js';
import { connecting } from '../connecting.js';
import { manifest } from '../manifest.js';
import { ownLogin, pageLogin } from '../connect-methods.js';

export interface InstagramWorld extends World {
  readonly network: InstagramNetwork;
}

interface LoginVariant {
  readonly connectMethod: string;
  /** Who logs in: the account, or its page. */
  readonly accountId: string;
  readonly permissions: readonly string[];
  readonly fewest: readonly string[];
  readonly door: (network: InstagramNetwork) => Pick<InstagramNetwork, 'respondAs'>;
}

/**
 * Instagram as documented, with its own login and media created by the tests. Its clock advances a second
 * each time it is read.
 */
export const startWorld = (): Promise<InstagramWorld> =>
  startLoginWorld({
    connectMethod: ownLogin.id,
    accountId: ID,
    permissions: INSTAGRAM_PERMISSIONS,
    fewest: ['instagram_business_basic'],
    door: (network) => network,
  });

/** The same with the login of the account's page. */
export const startPageWorld = (): Promise<InstagramWorld> =>
  startLoginWorld({
    connectMethod: pageLogin.id,
    accountId: '100000000000001',
    permissions: INSTAGRAM_PAGE_PERMISSIONS,
    fewest: ['instagram_basic', 'pages_read_engagement'],
    door: ({ ofPages }) => ofPages,
  });

async function startLoginWorld({
  connectMethod,
  accountId,
  permissions,
  fewest,
  door,
}: LoginVariant): Promise<InstagramWorld> {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  const network = instagramNetwork({
    now: () => new Date(++seconds * 1_000),
    postsPerDay: 10_000,
    fetchFile: async (url) => testMediaAt(url)?.content ?? null,
  });
  const requestAs = async (request: SimulatedRequest, allowed: readonly string[]) => {
    const body = Object.fromEntries(new URLSearchParams(Buffer.from(request.bytes).toString()));
    const bearer: GraphBearer = { accountId, permissions: allowed };
    return (await door(network).respondAs({ ...request, body }, bearer)) as SimulatedResponse;
  };
  const world = await startSimulator({
    account: { id: ID, username: null, name: null, avatarUrl: null, url: null },
    expiredTokenResponse: expiredToken,
    unknownTokenResponse: badToken,
    respondToWeakToken: (request) => requestAs(request, fewest),
    respond: (request) => requestAs(request, permissions),
    effects: () => network.media.createdCount(),
    textOf: (id) => network.media.find(id)?.caption ?? network.media.comment(id)?.text ?? '',
    parentOf: (id) => network.media.comment(id)?.mediaId ?? null,
    mediaOf: (id) =>
      (network.media.find(id)?.files ?? []).map(({ type, sha256, altText }) => ({ type, sha256, altText })),
  });
  const { apiVersion } = manifest;
  const found = await connecting.identify(testSession({ ...world, connectMethod, apiVersion }));
  if (!found.ok || !found.value[0]) throw new Error('the world does not know its own account');
  const [account] = found.value;
  return {
    ...world,
    connectMethod,
    account,
    network,
    remembered: { [CONTAINER]: '1' },
    requestsBefore: { post: 2 },
    videosHaveNoAltText: true,
    optionContent: { share_to_feed: () => ({ media: [videoOf()] }) },
    // Both values are sent as requested, since Instagram's reference names no default.
    optionDefaults: { post_type: 'feed', share_to_feed: undefined },
    wireValues: { 'post_type=story': 'media_type=STORIES' },
    // A description of a container, whose state is `status_code`.
    unrelatedStates: ['status'],
  };
}

const ID = '17841400000000001';
