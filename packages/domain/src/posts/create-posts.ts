import type { Call } from '../call.js';
import type { Failure, Problem } from '../failure.js';
import { ok, refused, type Result } from '../result.js';
import { announcePost } from './announce-post.js';
import type { CreatePorts, CreatePostFailure } from './create-post.js';
import type { DraftPost } from './draft-post.js';
import { keepMedia } from './keep-media.js';
import { lockContents, refuseDuplicates } from './guard-duplicates.js';
import { preparePost } from './prepare-post.js';
import type { Post } from './post.js';

export interface CreatePosts {
  readonly posts: readonly DraftPost[];
}

/** All are checked before the first is stored, and either all are stored or none. */
export async function createPosts(
  ports: CreatePorts,
  call: Call,
  command: CreatePosts,
): Promise<Result<readonly Post[], CreatePostFailure>> {
  const posts: Post[] = [];
  const failures: Failure<CreatePostFailure>[] = [];
  for (const [index, draft] of command.posts.entries()) {
    const prepared = await preparePost(ports, call, draft);
    if (prepared.ok) posts.push(prepared.value);
    else failures.push(of(index, prepared.failure));
  }
  // What does not exist is told before what does not fit.
  const first = failures.find(({ code }) => code !== 'post.invalid') ?? failures[0];
  if (first) return refused({ ...first, problems: failures.flatMap(({ problems }) => problems ?? []) });

  const guarded = posts.filter((_, index) => !command.posts[index]?.allowDuplicate);
  await lockContents(
    ports,
    guarded.flatMap(({ deliveries }) => deliveries),
  );
  for (const [index, post] of posts.entries()) {
    // One of the same batch is found as well: it is stored by then.
    const unique = guarded.includes(post) ? await refuseDuplicates(ports, call, post.deliveries) : ok();
    if (!unique.ok) return refused(of(index, unique.failure));
    await ports.posts.insert(post);
    const kept = await keepMedia(ports, call, post);
    if (!kept.ok) return refused(of(index, kept.failure));
  }
  for (const post of posts) await announcePost(ports, post, ports.clock.now());
  return ok(posts);
}

function of<Code extends CreatePostFailure>(index: number, failure: Failure<Code>): Failure<Code> {
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
