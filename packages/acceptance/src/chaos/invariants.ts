import type { ReadBack } from './plan.js';

/** The caller's view of one post: accepted, rejected, or no response. */
export interface Invocation {
  readonly name: string;
  readonly outcome: 'ok' | 'fail' | 'info';
  readonly readBack: ReadBack;
}

/** The final state of a post in the service. Every post has one delivery. */
export interface SettledPost {
  readonly name: string;
  readonly deliveryId: string;
  readonly status: string;
  readonly externalId: string | null;
  /** `kind outcome` of every history row, in order. */
  readonly history: readonly string[];
  /** Types of the events of the post. */
  readonly events: readonly string[];
}

/** A post that exists, or existed, at a platform. */
export interface PlatformEffect {
  readonly externalId: string;
  readonly name: string;
}

export interface InvariantReport {
  readonly duplicates: number;
  readonly lost: number;
  readonly unsettled: number;
  /** One message per violated invariant, with the name of the post. */
  readonly broken: readonly string[];
}

const FINAL_STATUSES = ['published', 'needs_review', 'failed'];
const RESOLUTIONS = ['decision published', 'decision not_published'];

/**
 * The invariants of a run without platform rejections and cancellations. The platforms' ledger is the source
 * of truth.
 */
export function checkInvariants(
  invocations: readonly Invocation[],
  posts: readonly SettledPost[],
  effects: readonly PlatformEffect[],
): InvariantReport {
  const broken: string[] = [];
  let [duplicates, lost, unsettled] = [0, 0, 0];
  const report = (name: string, law: string) => void broken.push(`${name}: ${law}`);
  const effectsOf = Map.groupBy(effects, ({ name }) => name);
  const postsOf = Map.groupBy(posts, ({ name }) => name);
  const invoked = new Set(invocations.map(({ name }) => name));

  for (const name of new Set([...effectsOf.keys(), ...postsOf.keys()])) {
    if (!invoked.has(name)) report(name, 'was never requested');
  }
  for (const { name, outcome, readBack } of invocations) {
    const matchingPosts = postsOf.get(name) ?? [];
    const effectsOfPost = effectsOf.get(name) ?? [];
    if (effectsOfPost.length > 1) {
      duplicates += effectsOfPost.length - 1;
      report(name, `was published ${effectsOfPost.length} times`);
    }
    if (matchingPosts.length > 1) report(name, `has ${matchingPosts.length} posts`);
    if (outcome === 'fail' && matchingPosts.length + effectsOfPost.length > 0)
      report(name, 'was rejected and exists');
    const [post] = matchingPosts;
    if (!post) {
      if (outcome === 'ok' || effectsOfPost.length > 0) {
        lost += 1;
        report(name, 'was accepted and is missing');
      }
      continue;
    }
    const { status, history } = post;
    const resolved = RESOLUTIONS.find((line) => history.includes(line));
    if (!FINAL_STATUSES.includes(status)) {
      unsettled += 1;
      report(name, `is still ${status}`);
    }
    if (resolved !== undefined) {
      const isCorrect = effectsOfPost.length > 0 === (resolved === 'decision published');
      if (!isCorrect || status !== (resolved === 'decision published' ? 'published' : 'failed'))
        report(name, `is ${status} after "${resolved}" and exists ${effectsOfPost.length} times`);
    } else if (status === 'published' && effectsOfPost[0]?.externalId !== post.externalId) {
      lost += 1;
      report(
        name,
        `is published as ${post.externalId}, but the platform has ${effectsOfPost[0]?.externalId ?? 'nothing'}`,
      );
    }
    if (status === 'failed' && resolved === undefined) {
      // No platform rejected a request: `failed` without an effect is a lost post, with an effect a false
      // status.
      lost += 1;
      report(name, effectsOfPost.length > 0 ? 'is failed and exists' : 'was given up');
    }
    if (status === 'needs_review' && readBack !== 'none')
      report(name, 'needs a review although it can be read back');
    for (const law of checkHistory(post, effectsOfPost.length)) report(name, law);
  }
  return { duplicates, lost, unsettled, broken };
}

function checkHistory({ status, history, events }: SettledPost, effects: number): readonly string[] {
  const count = (lines: readonly string[], line: string) => lines.filter((one) => one === line).length;
  const broken: string[] = [];
  if (effects > 0 && count(history, 'attempt begun') === 0)
    broken.push('was sent without a recorded attempt');
  const endings = history.filter((line) =>
    /^(attempt|read_back) (published|needs_review|failed)$/.test(line),
  );
  if (FINAL_STATUSES.includes(status) && endings.length !== 1)
    broken.push(`has ${endings.length} final attempts`);
  const eventType = `post.${status}`;
  if (FINAL_STATUSES.includes(status) && count(events, eventType) !== 1) {
    broken.push(`has ${count(events, eventType)} events for status ${status}`);
  }
  return broken;
}
