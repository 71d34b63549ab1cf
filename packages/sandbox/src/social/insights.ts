import type { Account } from '../world.js';
import { seededRandom } from '../random.js';
import type { Post } from './posts.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * A pure function of post and age: monotonic, fast in the first minutes, mostly within the first two days.
 */
export function postMetrics(seed: number, post: Post, now: Date) {
  const random = seededRandom(`${seed}:insights:${post.id}`);
  const ceiling = 300 + Math.floor(4700 * random.next() ** 2);
  const ageMs = Math.max(0, now.getTime() - Date.parse(post.created_at));
  const share = 0.2 * saturation(ageMs, 8 * MINUTE_MS) + 0.8 * saturation(ageMs, 20 * HOUR_MS);
  const impressions = Math.floor(ceiling * share);
  const part = (most: number) => Math.floor(impressions * most * (0.4 + 0.6 * random.next()));
  const [likes, comments, shares, clicks] = [part(0.09), part(0.015), part(0.02), part(0.05)];
  // There is nothing to click without a link.
  return { impressions, likes, comments, shares, clicks: post.link === null ? null : clicks };
}
export type PostMetrics = ReturnType<typeof postMetrics>;

export function followers(seed: number, account: Account, epoch: Date, now: Date): number {
  const random = seededRandom(`${seed}:followers:${account.id}`);
  const [base, perDay] = [random.int(800, 9000), random.int(3, 24)];
  return Math.max(0, base + Math.floor((perDay * (now.getTime() - epoch.getTime())) / DAY_MS));
}

function saturation(ageMs: number, timeConstantMs: number): number {
  return 1 - Math.exp(-ageMs / timeConstantMs);
}
