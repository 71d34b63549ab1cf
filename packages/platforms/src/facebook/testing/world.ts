import {
  badToken,
  expiredToken,
  FACEBOOK_PERMISSIONS,
  facebookNetwork,
  fieldsOfForm,
  type FacebookNetwork,
} from '@switchboard/simulators';
import {
  startSimulator,
  type SimulatedResponse,
  type SimulatedRequest,
} from '../../kit/testing/simulator.js';
import { testSession } from '../../kit/testing/session.js';
import { videoOf } from '../../kit/testing/test-media.js';
import type { World } from '../../kit/testing/world.js';
import { connecting } from '../connecting.js';
import { manifest } from '../manifest.js';

export interface FacebookWorld extends World {
  readonly network: FacebookNetwork;
}

/**
 * Facebook as documented, except for its refusal of duplicate texts. Its clock advances a second each time it
 * is read.
 */
export async function startWorld(
  options: { readonly refusesDuplicates?: boolean } = {},
): Promise<FacebookWorld> {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  const network = facebookNetwork({
    now: () => new Date(++seconds * 1_000),
    refusesDuplicates: options.refusesDuplicates ?? false,
  });
  const requestAs = async (request: SimulatedRequest, permissions: readonly string[]) => {
    const plain = () => Object.fromEntries(new URLSearchParams(Buffer.from(request.bytes).toString()));
    const isFile = request.headers['content-type'] === 'application/octet-stream';
    const body = request.form ? await fieldsOfForm(request.form) : isFile ? request.bytes : plain();
    return network.respondAs({ ...request, body }, { accountId: ID, permissions }) as SimulatedResponse;
  };
  const { book } = network;
  const world = await startSimulator({
    account: { id: ID, username: null, name: null, avatarUrl: null, url: null },
    expiredTokenResponse: expiredToken,
    unknownTokenResponse: badToken,
    respondToWeakToken: (request) => requestAs(request, ['pages_show_list']),
    respond: (request) => requestAs(request, FACEBOOK_PERMISSIONS),
    effects: () => book.createdCount(),
    textOf: (id) => book.post(id)?.message ?? book.comment(id)?.message ?? '',
    parentOf: (id) => book.comment(id)?.objectId ?? null,
    mediaOf(id) {
      const post = book.post(id);
      const files = post?.video ? [post.video] : (post?.photos ?? []);
      return files.map(({ type, sha256, altText }) => ({ type, sha256, altText }));
    },
  });
  const found = await connecting.identify(testSession({ ...world, apiVersion: manifest.apiVersion }));
  if (!found.ok || !found.value[0]) throw new Error('the world does not know its own page');
  return {
    ...world,
    account: found.value[0],
    network,
    videosHaveNoAltText: true,
    // A video that qualifies becomes a reel; each type has its own edge.
    optionContent: { post_type: () => ({ media: [videoOf({ upright: true })] }) },
    optionDefaults: { post_type: 'reel' },
    wireValues: { 'post_type=feed': 'path=POST /*/*/videos' },
    // The Graph API omits what is empty: a post's text, its attachments, its reactions and actions of a kind.
    omittedFields: [
      'data.*.message',
      'data.*.attachments',
      'data.*.values.*.value.like',
      'data.*.values.*.value.love',
      'data.*.values.*.value.comment',
      'data.*.values.*.value.share',
      // A video that is not a reel has no such phase, and its status is `published`.
      'status.publishing_phase.publish_status',
    ],
    // The requests before the one that publishes.
    unrelatedStates: [
      'status.video_status',
      'status.uploading_phase.status',
      'status.processing_phase.status',
      'status.publishing_phase.status',
    ],
  };
}

const ID = '100000000000001';
