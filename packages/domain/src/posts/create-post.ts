import {
  findPostApprovalContext,
  holdForApproval,
  updatePostApproval,
  type PostApprovalPorts,
} from '../approvals/post-approval.js';
import type { Call } from '../call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { enqueuePosts } from './enqueue-posts.js';
import type { DraftPost } from './draft-post.js';
import { storeMediaUses } from './store-media-uses.js';
import { lockContents, refuseDuplicates } from './guard-duplicates.js';
import { preparePost, type PrepareFailure, type PreparePorts } from './prepare-post.js';
import type { Post } from './post.js';

export type CreatePost = DraftPost;
export type CreatePostFailure = PrepareFailure | 'post.possible_duplicate' | 'rate_limit.exceeded';
export type CreatePorts = PreparePorts &
  PostApprovalPorts &
  Pick<AtomicPorts, 'posts' | 'media' | 'jobs' | 'events'>;

/** Validates all targets before anything is stored; the worker publishes, once a person approved where required. */
export async function createPost(
  ports: CreatePorts,
  call: Call,
  command: CreatePost,
): Promise<Result<Post, CreatePostFailure>> {
  const prepared = await preparePost(ports, call, command);
  if (!prepared.ok) return prepared;
  const context = await findPostApprovalContext(ports, call, null);
  const post = holdForApproval(ports, prepared.value, context);
  if (!command.allowDuplicate) {
    await lockContents(ports, post.deliveries);
    const unique = await refuseDuplicates(ports, call, post.deliveries);
    if (!unique.ok) return unique;
  }
  await ports.posts.insert(post);
  const stored = await storeMediaUses(ports, call, post);
  if (!stored.ok) return stored;
  await enqueuePosts(ports, [post], 'created', ports.clock.now());
  return ok(await updatePostApproval(ports, call, post, context));
}
