import { notFound } from '../failure.js';
import { ok, type Result } from '../result.js';
import type { Post } from '../posts/post.js';
import type { Delivery } from './delivery.js';

/** The deliveries of a post that the caller named; all of them when none was named. */
export function chooseDeliveries(
  { deliveries }: Pick<Post, 'deliveries'>,
  ids: readonly string[] | undefined,
): Result<readonly Delivery[], 'delivery.not_found'> {
  if (ids === undefined) return ok(deliveries);
  const chosen = deliveries.filter(({ id }) => ids.includes(id));
  return chosen.length === new Set(ids).size ? ok(chosen) : notFound('delivery');
}
