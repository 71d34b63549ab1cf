import {
  expiredToken,
  INSTAGRAM_PAGE_PERMISSIONS,
  INSTAGRAM_PERMISSIONS,
  instagramNetwork,
  type InstagramNetwork,
} from '@switchboard/simulators';
import { CONTAINER } from '../../graph/graph-containers.js';
import { identifyAccount, startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import { testMediaAt, videoOf } from '@switchboard/platform-kit/testing/test-media';
import type { World } from '@switchboard/platform-kit/testing/world';
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

/** Instagram as documented, with its own login and media created by the tests. */
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
  const network = instagramNetwork({
    now: tickingClock(),
    postsPerDay: 10_000,
    fetchFile: async (url) => testMediaAt(url)?.content ?? null,
  });
  const world = await startSimulator({
    account: { id: ID, username: null, name: null, avatarUrl: null, url: null },
    expiredTokenResponse: expiredToken,
    simulator: door(network),
    owner: { accountId, permissions },
    weakOwner: { accountId, permissions: fewest },
    effects: () => network.media.createdCount(),
    textOf: (id) => network.media.find(id)?.caption ?? network.media.comment(id)?.text ?? '',
    parentOf: (id) => network.media.comment(id)?.mediaId ?? null,
    mediaOf: (id) =>
      (network.media.find(id)?.files ?? []).map(({ type, sha256, altText }) => ({ type, sha256, altText })),
  });
  const { apiVersion } = manifest;
  return {
    ...world,
    connectMethod,
    account: await identifyAccount(connecting, { ...world, connectMethod, apiVersion }),
    network,
    remembered: { [CONTAINER]: '1' },
    deletePost: (id) => network.media.hide(id),
    removalUnproven:
      'Error 100/33 is returned for an object that was removed, and for one that this login may not see. https://developers.facebook.com/docs/graph-api/guides/error-handling (2026-11-22)',
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
