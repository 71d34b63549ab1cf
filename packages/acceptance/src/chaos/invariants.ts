import type { ReadBack } from './plan.js';

/** What the caller knows of one post: it was taken, it was refused, or nobody answered. */
export interface Invocation {
  readonly name: string;
  readonly outcome: 'ok' | 'fail' | 'info';
  readonly readBack: ReadBack;
}

/** A post as the service has it in the end. Every one has one delivery. */
export interface SettledPost {
  readonly name: string;
  readonly deliveryId: string;
  readonly status: string;
  readonly externalId: string | null;
  /** `kind outcome` of every line of its history, in order. */
  readonly history: readonly string[];
  /** Types of the events about it. */
  readonly events: readonly string[];
}

/** Something that really stands, or stood, at a platform. */
export interface PlatformEffect {
  readonly externalId: string;
  readonly name: string;
}

export interface InvariantReport {
  readonly duplicates: number;
  readonly lost: number;
  readonly unsettled: number;
  /** One sentence for each law that was broken, with the post by which. */
  readonly broken: readonly string[];
}

const FINAL_STATUSES = ['published', 'needs_review', 'failed'];
const RESOLUTIONS = ['decision published', 'decision not_published'];

/** The laws of a run in which no platform refuses anything and nobody cancels. The platforms' ledger is the judge. */
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
    if (!invoked.has(name)) report(name, 'nobody asked for it');
  }
  for (const { name, outcome, readBack } of invocations) {
    const matchingPosts = postsOf.get(name) ?? [];
    const effectsOfPost = effectsOf.get(name) ?? [];
    if (effectsOfPost.length > 1) {
      duplicates += effectsOfPost.length - 1;
      report(name, `went out ${effectsOfPost.length} times`);
    }
    if (matchingPosts.length > 1) report(name, `is ${matchingPosts.length} posts`);
    if (outcome === 'fail' && matchingPosts.length + effectsOfPost.length > 0) report(name, 'was refused and is there');
    const [post] = matchingPosts;
    if (!post) {
      if (outcome === 'ok' || effectsOfPost.length > 0) {
        lost += 1;
        report(name, 'was taken and is gone');
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
        report(name, `is ${status} after "${resolved}", and stands there ${effectsOfPost.length} times`);
    } else if (status === 'published' && effectsOfPost[0]?.externalId !== post.externalId) {
      lost += 1;
      report(name, `is published as ${post.externalId}, and there is ${effectsOfPost[0]?.externalId ?? 'nothing'}`);
    }
    if (status === 'failed' && resolved === undefined) {
      // No platform refused anything: giving up would be a loss, having sent it a lie.
      lost += 1;
      report(name, effectsOfPost.length > 0 ? 'is failed and stands there' : 'was given up');
    }
    if (status === 'needs_review' && readBack !== 'none') report(name, 'needs a review where it can be read');
    for (const law of checkHistory(post, effectsOfPost.length)) report(name, law);
  }
  return { duplicates, lost, unsettled, broken };
}

function checkHistory({ status, history, events }: SettledPost, effects: number): readonly string[] {
  const count = (lines: readonly string[], line: string) => lines.filter((one) => one === line).length;
  const broken: string[] = [];
  if (effects > 0 && count(history, 'attempt begun') === 0)
    broken.push('went out without an attempt on record');
  const endings = history.filter((line) =>
    /^(attempt|read_back) (published|needs_review|failed)$/.test(line),
  );
  if (FINAL_STATUSES.includes(status) && endings.length !== 1) broken.push(`ended ${endings.length} times`);
  const eventType = `post.${status}`;
  if (FINAL_STATUSES.includes(status) && count(events, eventType) !== 1) {
    broken.push(`told ${count(events, eventType)} times that it is ${status}`);
  }
  return broken;
}
