import type { ReadBack } from './plan.js';

/** What the caller knows of one post: it was taken, it was refused, or nobody answered. */
export interface Invocation {
  readonly name: string;
  readonly outcome: 'ok' | 'fail' | 'info';
  readonly readBack: ReadBack;
}

/** A post as the service has it in the end. Every one has one delivery. */
export interface Settled {
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
export interface Found {
  readonly externalId: string;
  readonly name: string;
}

export interface Verdict {
  readonly duplicates: number;
  readonly lost: number;
  readonly unsettled: number;
  /** One sentence for each law that was broken, with the post by which. */
  readonly broken: readonly string[];
}

const ENDED = ['published', 'needs_review', 'failed'];
const RESOLUTIONS = ['decision published', 'decision not_published'];

/** The laws of a run in which no platform refuses anything and nobody cancels. The platforms' ledger is the judge. */
export function judge(
  invocations: readonly Invocation[],
  posts: readonly Settled[],
  effects: readonly Found[],
): Verdict {
  const broken: string[] = [];
  let [duplicates, lost, unsettled] = [0, 0, 0];
  const breaks = (name: string, law: string) => void broken.push(`${name}: ${law}`);
  const effectsOf = Map.groupBy(effects, ({ name }) => name);
  const postsOf = Map.groupBy(posts, ({ name }) => name);
  const invoked = new Set(invocations.map(({ name }) => name));

  for (const name of new Set([...effectsOf.keys(), ...postsOf.keys()])) {
    if (!invoked.has(name)) breaks(name, 'nobody asked for it');
  }
  for (const { name, outcome, readBack } of invocations) {
    const made = postsOf.get(name) ?? [];
    const stands = effectsOf.get(name) ?? [];
    if (stands.length > 1) {
      duplicates += stands.length - 1;
      breaks(name, `went out ${stands.length} times`);
    }
    if (made.length > 1) breaks(name, `is ${made.length} posts`);
    if (outcome === 'fail' && made.length + stands.length > 0) breaks(name, 'was refused and is there');
    const [post] = made;
    if (!post) {
      if (outcome === 'ok' || stands.length > 0) {
        lost += 1;
        breaks(name, 'was taken and is gone');
      }
      continue;
    }
    const { status, history } = post;
    const resolved = RESOLUTIONS.find((line) => history.includes(line));
    if (!ENDED.includes(status)) {
      unsettled += 1;
      breaks(name, `is still ${status}`);
    }
    if (resolved !== undefined) {
      const isTrue = stands.length > 0 === (resolved === 'decision published');
      if (!isTrue || status !== (resolved === 'decision published' ? 'published' : 'failed'))
        breaks(name, `is ${status} after "${resolved}", and stands there ${stands.length} times`);
    } else if (status === 'published' && stands[0]?.externalId !== post.externalId) {
      lost += 1;
      breaks(name, `is published as ${post.externalId}, and there is ${stands[0]?.externalId ?? 'nothing'}`);
    }
    if (status === 'failed' && resolved === undefined) {
      // No platform refused anything: giving up would be a loss, having sent it a lie.
      lost += 1;
      breaks(name, stands.length > 0 ? 'is failed and stands there' : 'was given up');
    }
    if (status === 'needs_review' && readBack !== 'none') breaks(name, 'needs a review where it can be read');
    for (const law of brokenByHistory(post, stands.length)) breaks(name, law);
  }
  return { duplicates, lost, unsettled, broken };
}

function brokenByHistory({ status, history, events }: Settled, effects: number): readonly string[] {
  const count = (lines: readonly string[], line: string) => lines.filter((one) => one === line).length;
  const broken: string[] = [];
  if (effects > 0 && count(history, 'attempt begun') === 0)
    broken.push('went out without an attempt on record');
  const endings = history.filter((line) =>
    /^(attempt|read_back) (published|needs_review|failed)$/.test(line),
  );
  if (ENDED.includes(status) && endings.length !== 1) broken.push(`ended ${endings.length} times`);
  const told = `post.${status}`;
  if (ENDED.includes(status) && count(events, told) !== 1) {
    broken.push(`told ${count(events, told)} times that it is ${status}`);
  }
  return broken;
}
