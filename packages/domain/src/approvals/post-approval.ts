import { actorName, type Call } from '../call.js';
import { canonicalJson } from '../canonical-json.js';
import { describeAccount } from '../connections/describe-account.js';
import type { Delivery } from '../deliveries/delivery.js';
import { joinNames } from '../join-names.js';
import type { ReadPorts, Tools, Tx } from '../ports/index.js';
import { describeTime } from '../posts/local-time.js';
import type { Post } from '../posts/post.js';
import { toApprovalState, type Approval } from './approval.js';
import { deliveryDigest } from './approval-digest.js';
import {
  familyOf,
  listApprovalPolicies,
  toRequirement,
  type ApprovalRequirement,
} from './approval-requirement.js';
import { appendDecidedEvent, requestApproval } from './request-approval.js';

const HOUR_MS = 3_600_000;

export type PostApprovalPorts = Pick<Tx, 'approvals' | 'events'> &
  Pick<ReadPorts, 'apiKeys'> &
  Pick<Tools, 'clock' | 'ids'> & {
    readonly manifests: Pick<Tools['manifests'], 'find'>;
    readonly tokens: Pick<Tools['tokens'], 'digestHex'>;
  };

/** The approval that an edit or a retry starts from, and what publishing now requires. */
export interface PostApprovalContext {
  readonly earlier: Approval | null;
  /** Null when the post may be published at once. */
  readonly requirement: ApprovalRequirement | null;
}

/**
 * What publishing a post requires of this call. A post that once needed an approval needs one for every later
 * change, by any key, and the key that changes it takes part in the request.
 */
export async function findPostApprovalContext(
  ports: Pick<ReadPorts, 'approvals' | 'apiKeys'>,
  call: Call,
  before: Post | null,
): Promise<PostApprovalContext> {
  const policies = await listApprovalPolicies(ports, call);
  const own = toRequirement(
    call,
    policies.filter(({ approval }) => approval.posts === 'always'),
  );
  const state = before?.approval ?? null;
  const earlier = state && (await ports.approvals.find(call.workspaceId, state.id));
  if (!earlier) return { earlier: null, requirement: own };
  const family = call.actor.kind === 'key' ? familyOf(call.actor.key) : [];
  return {
    earlier,
    requirement: {
      expiresInHours: own?.expiresInHours ?? hoursOf(earlier),
      requestedBy: actorName(call),
      requesters: [...new Set([...earlier.requesters, ...(own?.requesters ?? family)])],
    },
  };
}

const hoursOf = ({ requestedAt, expiresAt }: Approval): number =>
  (expiresAt.getTime() - requestedAt.getTime()) / HOUR_MS;

/** The deliveries that wait for the decision. */
const awaitingOf = ({ deliveries }: Pick<Post, 'deliveries'>): readonly Delivery[] =>
  deliveries.filter(({ status }) => status === 'awaiting_approval');

const digestsOf = (
  tokens: PostApprovalPorts['tokens'],
  deliveries: readonly Delivery[],
): Approval['digests'] =>
  Object.fromEntries(deliveries.map((delivery) => [delivery.id, deliveryDigest(tokens, delivery)]));

/**
 * The post as it is stored: its deliveries wait for a decision where one is required, unless exactly their content
 * was approved already.
 */
export function holdForApproval(
  { tokens }: Pick<PostApprovalPorts, 'tokens'>,
  post: Post,
  { earlier, requirement }: PostApprovalContext,
): Post {
  if (requirement === null) return post;
  const unsent = post.deliveries.filter(({ status }) => status === 'pending');
  const isApproved =
    earlier?.status === 'approved' &&
    unsent.every((delivery) => earlier.digests[delivery.id] === deliveryDigest(tokens, delivery));
  if (isApproved) return post;
  return {
    ...post,
    deliveries: post.deliveries.map((delivery) =>
      delivery.status === 'pending' ? { ...delivery, status: 'awaiting_approval' } : delivery,
    ),
  };
}

/**
 * Brings the approval of a stored post in line with what waits: withdraws a pending one whose content has changed
 * or is gone, and requests one for the present content. Returns the post with its latest approval. The post is
 * locked.
 */
export async function updatePostApproval(
  ports: PostApprovalPorts,
  call: Call,
  post: Post,
  { earlier, requirement }: PostApprovalContext,
): Promise<Post> {
  const awaiting = awaitingOf(post);
  const digests = digestsOf(ports.tokens, awaiting);
  const isPending = earlier?.status === 'pending';
  const isSame = isPending && canonicalJson(digests) === canonicalJson(earlier.digests);
  if (isSame || (!isPending && awaiting.length === 0))
    return earlier ? { ...post, approval: toApprovalState(earlier) } : post;
  let latest = earlier;
  if (isPending) {
    const outcome = {
      status: 'withdrawn',
      decidedBy: actorName(call),
      decidedAt: ports.clock.now(),
      note: null,
    } as const;
    await ports.approvals.settle(post.workspaceId, earlier.id, outcome);
    latest = { ...earlier, ...outcome };
    await appendDecidedEvent(ports, latest);
  }
  if (awaiting.length > 0) {
    if (requirement === null) throw new Error('a post waits for an approval that nothing requires');
    const subject = {
      profileId: post.profileId,
      postId: post.id,
      digests,
      summary: summaryOf(ports, post, awaiting),
    };
    latest = await requestApproval(ports, ports, call, subject, requirement);
  }
  return latest ? { ...post, approval: toApprovalState(latest) } : post;
}

/**
 * The same after deliveries were cancelled: what remains is a part of what was requested, by the same requesters.
 */
export async function narrowPostApproval(ports: PostApprovalPorts, call: Call, post: Post): Promise<Post> {
  if (post.approval?.status !== 'pending') return post;
  const earlier = await ports.approvals.find(post.workspaceId, post.approval.id);
  if (!earlier) return post;
  const { requestedBy, requesters } = earlier;
  const requirement = { expiresInHours: hoursOf(earlier), requestedBy, requesters };
  return updatePostApproval(ports, call, post, { earlier, requirement });
}

/** "Publish a post on @ada (Mastodon) at 2026-12-01 09:00 Europe/Madrid (2026-12-01T08:00:00Z)." */
function summaryOf(
  { manifests, clock }: Pick<PostApprovalPorts, 'manifests' | 'clock'>,
  { timezone }: Post,
  deliveries: readonly Delivery[],
): string {
  const now = clock.now();
  const byTime = [...Map.groupBy(deliveries, ({ scheduledAt }) => scheduledAt.getTime())];
  const plans = byTime.map(([atMs, some]) => {
    const accounts = some.map(({ account, platform }) =>
      describeAccount(account, manifests.find(platform)?.name ?? 'a platform'),
    );
    const when = atMs <= now.getTime() ? 'now' : `at ${describeTime(new Date(atMs), timezone)}`;
    return `on ${joinNames(accounts)} ${when}`;
  });
  return `Publish a post ${joinNames(plans)}.`;
}
