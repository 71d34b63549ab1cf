import { expiredToken, FACEBOOK_PERMISSIONS, facebookNetwork } from '@switchboard/simulators';
import { identifyAccount, startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import { videoOf } from '@switchboard/platform-kit/testing/test-media';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { connecting } from '../connecting.js';
import { manifest } from '../manifest.js';

/** Facebook as documented, except for its refusal of duplicate texts. */
export async function startWorld(options: { readonly refusesDuplicates?: boolean } = {}) {
  const network = facebookNetwork({
    now: tickingClock(),
    refusesDuplicates: options.refusesDuplicates ?? false,
  });
  const { book } = network;
  const world = await startSimulator({
    account: { id: ID, username: null, name: null, avatarUrl: null, url: null },
    expiredTokenResponse: expiredToken,
    simulator: network,
    owner: { accountId: ID, permissions: FACEBOOK_PERMISSIONS },
    weakOwner: { accountId: ID, permissions: ['pages_show_list'] },
    effects: () => book.createdCount(),
    textOf: (id) => book.post(id)?.message ?? book.comment(id)?.message ?? '',
    parentOf: (id) => book.comment(id)?.objectId ?? null,
    mediaOf(id) {
      const post = book.post(id);
      const files = post?.video ? [post.video] : (post?.photos ?? []);
      return files.map(({ type, sha256, altText }) => ({ type, sha256, altText }));
    },
  });
  return {
    ...world,
    edits: () => book.editCount(),
    removalUnproven:
      'Error 100/33 is returned for an object that was removed, and for one that this login may not see. https://developers.facebook.com/docs/graph-api/guides/error-handling (2026-11-22)',
    account: await identifyAccount(connecting, { ...world, apiVersion: manifest.apiVersion }),
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
  } satisfies ExtendedWorld;
}

const ID = '100000000000001';
