import { actorName, type Call } from '../call.js';
import { refuse } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { checkTargets, type CheckedTarget } from './check-targets.js';
import type { DraftPost } from './draft-post.js';
import { findTargets, type TargetFailureCode, type Targets } from './find-targets.js';
import { contentDigest } from './content-digest.js';
import type { Delivery, Post } from './post.js';
import { schedule, type Schedule, type ScheduleFailureCode } from './schedule.js';

export type CreatePost = DraftPost;
export type CreatePostFailure =
  TargetFailureCode | ScheduleFailureCode | 'post.invalid' | 'post.possible_duplicate';

type CreatePorts = Pick<
  AtomicPorts,
  'profiles' | 'connections' | 'posts' | 'jobs' | 'events' | 'manifests' | 'tokens' | 'ids' | 'clock'
>;

/** Everything is checked for all targets before anything is stored; publishing is the worker's. */
export async function createPost(
  ports: CreatePorts,
  call: Call,
  command: CreatePost,
): Promise<Result<Post, CreatePostFailure>> {
  const found = await findTargets(ports, call, command);
  if (!found.ok) return found;
  const now = ports.clock.now();
  const when = schedule(now, command, found.value.profile.timezone);
  if (!when.ok) return when;
  const isScheduled = when.value.at > now;
  const checked = checkTargets(ports, command, found.value, isScheduled);
  const problems = checked.flatMap((target) => target.problems);
  if (problems.length > 0) {
    return refuse(
      'post.invalid',
      problems
        .map(({ message }) => message)
        .slice(0, 3)
        .join(' '),
      { problems },
    );
  }
  const post = compose(ports, call, command, found.value, when.value, checked);
  if (!command.allowDuplicate) {
    for (const { connectionId, contentDigest: digest, scheduledAt } of inOneOrder(post.deliveries)) {
      await ports.posts.lockContent(connectionId, digest);
      const twin = await ports.posts.findDuplicate(call.workspaceId, connectionId, digest, scheduledAt);
      if (twin) {
        return refuse(
          'post.possible_duplicate',
          'The same text goes to this connection within a day. Send allow_duplicate: true if that is meant.',
          {
            details: { id: twin },
            next: { operation: 'getPost', arguments: { id: twin } },
          },
        );
      }
    }
  }
  await ports.posts.insert(post);
  for (const { id, scheduledAt } of post.deliveries) {
    const job = { name: 'deliver', workspaceId: call.workspaceId, deliveryId: id } as const;
    await ports.jobs.enqueue(job, isScheduled ? { startAfter: scheduledAt } : {});
  }
  if (isScheduled) {
    await ports.events.append({
      workspaceId: call.workspaceId,
      type: 'post.scheduled',
      profileId: post.profileId,
      data: { post_id: post.id, scheduled_at: post.scheduledAt.toISOString() },
    });
  }
  return ok(post);
}

/** Everybody takes the locks of several accounts in the same order: nobody waits for somebody who waits for him. */
const inOneOrder = (deliveries: readonly Delivery[]): readonly Delivery[] =>
  [...deliveries].sort((a, b) => (a.connectionId < b.connectionId ? -1 : 1));

function compose(
  ports: CreatePorts,
  call: Call,
  command: CreatePost,
  { profile, skipped }: Targets,
  { at, timezone, notAfter }: Schedule,
  checked: readonly CheckedTarget[],
): Post {
  const now = ports.clock.now();
  const id = ports.ids.next('pst');
  const deliveries = checked.map(({ connection, draft }): Delivery => ({
    id: ports.ids.next('dlv'),
    postId: id,
    workspaceId: call.workspaceId,
    connectionId: connection.id,
    platform: connection.platform,
    account: {
      id: connection.account.id,
      username: connection.account.username,
      name: connection.account.name,
    },
    status: 'pending',
    text: draft.text,
    link: draft.link,
    options: draft.options,
    contentDigest: contentDigest(ports, draft),
    scheduledAt: at,
    notAfter,
    attempts: 0,
    epoch: 0,
    parts: [{ index: 0, status: 'pending', externalId: null, url: null, receipt: {} }],
    externalId: null,
    url: null,
    publishedAt: null,
    error: null,
    nextAttemptAt: null,
  }));
  return {
    id,
    workspaceId: call.workspaceId,
    profileId: profile.id,
    text: command.text,
    link: command.link ?? null,
    scheduledAt: at,
    timezone,
    notAfter,
    deliveries,
    skipped,
    externalId: command.externalId ?? null,
    metadata: command.metadata ?? {},
    createdBy: actorName(call),
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}
