import { findPostApprovalContext, holdForApproval, updatePostApproval } from '../approvals/post-approval.js';
import type { Call } from '../call.js';
import type { Failure, Problem } from '../failure.js';
import { ok, refuseWith, type Result } from '../result.js';
import { enqueuePosts } from './enqueue-posts.js';
import type { CreatePorts, CreatePostFailure } from './create-post.js';
import type { DraftPost } from './draft-post.js';
import { storeMediaUses } from './store-media-uses.js';
import { lockContents, refuseDuplicates } from './guard-duplicates.js';
import { preparePost } from './prepare-post.js';
import type { Post } from './post.js';

interface CreatePosts {
  readonly posts: readonly DraftPost[];
}

/** Validates all before the first is stored; stores either all or none. */
export async function createPosts(
  ports: CreatePorts,
  call: Call,
  command: CreatePosts,
): Promise<Result<readonly Post[], CreatePostFailure>> {
  const posts: Post[] = [];
  const context = await findPostApprovalContext(ports, call, null);
  const failures: Failure<CreatePostFailure>[] = [];
  for (const [index, draft] of command.posts.entries()) {
    const prepared = await preparePost(ports, call, draft, null, posts);
    if (prepared.ok) posts.push(holdForApproval(ports, prepared.value, context));
    else failures.push(prefixFailure(index, prepared.failure));
  }
  // Missing resources are reported before invalid posts.
  const first = failures.find(({ code }) => code !== 'post.invalid') ?? failures[0];
  if (first) return refuseWith({ ...first, problems: failures.flatMap(({ problems }) => problems ?? []) });

  const guarded = posts.filter((_, index) => !command.posts[index]?.allowDuplicate);
  await lockContents(
    ports,
    guarded.flatMap(({ deliveries }) => deliveries),
  );
  for (const [index, post] of posts.entries()) {
    // Also finds duplicates within the same batch, which are stored by then.
    const unique = guarded.includes(post) ? await refuseDuplicates(ports, call, post.deliveries) : ok();
    if (!unique.ok) return refuseWith(prefixFailure(index, describeBatchDuplicate(posts, unique.failure)));
    await ports.posts.insert(post);
    const stored = await storeMediaUses(ports, call, post);
    if (!stored.ok) return refuseWith(prefixFailure(index, stored.failure));
  }
  await enqueuePosts(ports, posts, 'created', ports.clock.now());
  const stored: Post[] = [];
  for (const post of posts) stored.push(await updatePostApproval(ports, call, post, context));
  return ok(stored);
}

/** A duplicate within the batch is rolled back with it, and cannot be read. */
function describeBatchDuplicate<Code extends CreatePostFailure>(
  posts: readonly Post[],
  failure: Failure<Code>,
): Failure<Code> {
  const earlier = posts.findIndex(({ id }) => id === failure.details?.['id']);
  if (earlier < 0) return failure;
  const { details: _, next: __, ...rest } = failure;
  const message = `posts.${earlier} publishes the same content to the same connection within 24 hours. Send allow_duplicate: true if that is intended.`;
  return { ...rest, message };
}

function prefixFailure<Code extends CreatePostFailure>(index: number, failure: Failure<Code>): Failure<Code> {
  const { code, message, problems = [] } = failure;
  const path = `posts.${index}`;
  const own: readonly Problem[] = problems.length > 0 ? problems : [{ path: '', code, message }];
  return {
    ...failure,
    message: `${path}: ${message}`,
    problems: own.map((problem) => ({
      ...problem,
      path: problem.path === '' ? path : `${path}.${problem.path}`,
    })),
  };
}
