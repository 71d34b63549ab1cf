import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { isStale, preconditionFailed } from '../version.js';
import { amendPost, type PostChanges } from './amend-post.js';
import { enqueuePosts } from './enqueue-posts.js';
import type { CreatePorts, CreatePostFailure } from './create-post.js';
import { getPost, type GetPost } from './get-post.js';
import { storeMediaUses } from './store-media-uses.js';
import { lockContents, refuseDuplicates } from './guard-duplicates.js';
import { hasBegun } from './post-status.js';
import { preparePost } from './prepare-post.js';
import type { Post } from './post.js';
import { recordDecision } from '../deliveries/record-decision.js';

export type UpdatePost = GetPost & PostChanges & { readonly allowDuplicate?: boolean | undefined };
export type UpdatePostFailure =
  CreatePostFailure | 'post.not_found' | 'post.already_published' | 'request.precondition_failed';

/**
 * Changes a post before its publishing starts. Everything is validated again, and from then on only the new
 * version can be published.
 */
export async function updatePost(
  ports: CreatePorts & Pick<AtomicPorts, 'deliveries'>,
  call: Call,
  { id, allowDuplicate, ...changes }: UpdatePost,
): Promise<Result<Post, UpdatePostFailure>> {
  const found = await getPost(ports, call, { id });
  if (!found.ok) return found;
  const before = await ports.posts.lock(call.workspaceId, found.value.id);
  if (!before) return notFound('post');
  if (isStale(call, before)) return preconditionFailed('post', nextCall.getPost(before.id));
  if (hasBegun(before)) {
    return refuse(
      'post.already_published',
      'Publishing has started or was cancelled: the post can no longer be changed.',
      { next: nextCall.getPost(before.id) },
    );
  }
  const now = ports.clock.now();
  const prepared = await preparePost(ports, call, amendPost(before, changes, now), before);
  if (!prepared.ok) return prepared;
  const post = prepared.value;
  if (!allowDuplicate) {
    await lockContents(ports, post.deliveries);
    const unique = await refuseDuplicates(ports, call, post.deliveries);
    if (!unique.ok) return unique;
  }
  await ports.posts.rewrite(post);
  const stored = await storeMediaUses(ports, call, post, before);
  if (!stored.ok) return stored;
  for (const delivery of post.deliveries) await recordDecision(ports, call, delivery, 'updated');
  await enqueuePosts(ports, [post], now);
  return ok((await ports.posts.find(call.workspaceId, post.id)) ?? post);
}
