import { statusOf, type Post } from '@switchboard/domain/posts';
import type { WaitContext } from '../define.js';

/**
 * Whether a wait for a person's decision has ended: it ends with the decision, whatever follows. Only a wait that the
 * caller requested is one for a person. Undefined when the post did not wait for a decision.
 */
export const isDecided = (
  post: Post,
  now: Date,
  { initial, isRequested }: WaitContext<Post>,
): boolean | undefined =>
  statusOf(initial, now) === 'awaiting_approval'
    ? !isRequested || statusOf(post, now) !== 'awaiting_approval'
    : undefined;
