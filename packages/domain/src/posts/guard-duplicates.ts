import { reaches, type Call } from '../call.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { PostId } from '../ids.js';
import type { ReadPorts, Tx } from '../ports/index.js';
import type { Posts } from '../ports/posts.js';
import { ok, type Result } from '../result.js';
import type { Delivery } from '../deliveries/delivery.js';
import type { QuotaTarget } from './check-quotas.js';
import { contentDigest } from './compose-deliveries.js';

type GuardedContent = Pick<Delivery, 'connectionId' | 'contentDigest' | 'scheduledAt'> & {
  /** The post itself, which is no duplicate of its own. */
  readonly postId?: PostId | undefined;
};

/**
 * Serializes posts of the same content. The locks are taken in one order, so that transactions do not
 * deadlock.
 */
export async function lockContents(
  ports: Pick<Tx, 'posts'>,
  deliveries: readonly Pick<GuardedContent, 'connectionId' | 'contentDigest'>[],
): Promise<void> {
  const sortKey = (one: Pick<GuardedContent, 'connectionId' | 'contentDigest'>) =>
    `${one.connectionId} ${one.contentDigest}`;
  const inOrder = [...deliveries].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  for (const { connectionId, contentDigest } of inOrder) {
    await ports.posts.lockContent(connectionId, contentDigest);
  }
}

/**
 * Rejects content that another post publishes to the same connection within a day. The contents are locked.
 */
export async function refuseDuplicates(
  ports: { readonly posts: Pick<Posts, 'findDuplicate' | 'find'> },
  call: Call,
  deliveries: readonly GuardedContent[],
  publishAt?: Date,
): Promise<Result<undefined, 'post.possible_duplicate'>> {
  for (const { connectionId, contentDigest, scheduledAt, postId } of deliveries) {
    const around = publishAt ?? scheduledAt;
    const duplicate = await ports.posts.findDuplicate(
      call.workspaceId,
      connectionId,
      contentDigest,
      around,
      postId,
    );
    if (!duplicate) continue;
    // A connection that was moved takes its posts along only in part: their profile may be out of reach.
    const post = await ports.posts.find(call.workspaceId, duplicate);
    const isReachable = post !== null && reaches(call, post.profileId);
    return refuse(
      'post.possible_duplicate',
      `${DUPLICATE_MESSAGE} Send allow_duplicate: true if that is intended.`,
      isReachable ? { details: { id: duplicate }, next: nextCall.getPost(duplicate) } : {},
    );
  }
  return ok();
}

const DUPLICATE_MESSAGE = 'A post with the same content is published to this connection within 24 hours.';

/** What the guard will refuse, as warnings of each target. */
export async function warnDuplicates(
  ports: Pick<ReadPorts, 'posts' | 'tokens'>,
  call: Call,
  targets: readonly QuotaTarget[],
  pathOf: (index: number) => string,
): Promise<readonly QuotaTarget[]> {
  const warned: QuotaTarget[] = [];
  for (const [index, target] of targets.entries()) {
    const checked = await refuseDuplicates(ports, call, [
      {
        connectionId: target.connection.id,
        contentDigest: contentDigest(ports, target.contents),
        scheduledAt: target.when.at,
      },
    ]);
    const warning = checked.ok
      ? []
      : [
          {
            path: pathOf(index),
            code: checked.failure.code,
            message: DUPLICATE_MESSAGE,
            details: checked.failure.details,
          },
        ];
    warned.push({ ...target, warnings: [...target.warnings, ...warning] });
  }
  return warned;
}
