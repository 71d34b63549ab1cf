import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import { ok, type Result } from '../result.js';
import { chooseDeliveries } from './choose-deliveries.js';
import { getPost, type GetPost } from '../posts/get-post.js';
import type { Post } from '../posts/post.js';
import {
  possiblyPublished,
  removeDelivery,
  type RemoveFailure,
  type RemovePorts,
} from './remove-delivery.js';

export interface UnpublishPost extends GetPost {
  readonly deliveryIds?: readonly string[] | undefined;
}
export type UnpublishFailure =
  'post.not_found' | 'delivery.not_found' | 'post.unpublish_unsupported' | RemoveFailure;

/**
 * Deletes published deliveries at their platforms, where that is possible. A named delivery that cannot be
 * deleted is rejected before anything is sent.
 */
export async function unpublishPost(
  ports: RemovePorts,
  call: Call,
  { id, deliveryIds }: UnpublishPost,
): Promise<Result<Post, UnpublishFailure>> {
  const found = await getPost(ports, call, { id });
  if (!found.ok) return found;
  const post = found.value;
  const chosen = chooseDeliveries(post, deliveryIds);
  if (!chosen.ok) return chosen;
  const live = chosen.value.filter(({ status }) => status !== 'deleted');
  const removable = live.filter(
    ({ status, platform, parts }) =>
      possiblyPublished.includes(status) &&
      ports.platforms.find(platform)?.publishing?.remove !== undefined &&
      parts.some((part) => part.status === 'published') &&
      parts.every((part) => part.status !== 'published' || part.externalId !== null),
  );
  const all = deliveryIds === undefined ? removable.length > 0 : removable.length === live.length;
  if (!all && live.length > 0) {
    const unsupported = live
      .filter((delivery) => !removable.includes(delivery))
      .map(({ platform }) => platform);
    return refuse(
      'post.unpublish_unsupported',
      `Not published on ${[...new Set(unsupported)].join(', ')}, or the platform does not support deletion through its API.`,
      { next: nextCall.getPost(post.id) },
    );
  }
  const outcomes = await Promise.all(removable.map((delivery) => removeDelivery(ports, call, delivery)));
  const failed = outcomes.find((outcome) => !outcome.ok);
  // After a partial success, the response shows which are deleted: the others carry their error.
  if (failed && !failed.ok && outcomes.every((outcome) => !outcome.ok)) return failed;
  return ok((await ports.posts.find(call.workspaceId, post.id)) ?? post);
}
