import type { Progress } from '@switchboard/domain';
import type { DeliveryStatus } from '@switchboard/domain/deliveries';
import type { Post } from '@switchboard/domain/posts';

/** Statuses that change soon without any action. */
const inProgressStatuses: readonly DeliveryStatus[] = [
  'awaiting_approval',
  'pending',
  'sending',
  'retrying',
  'unknown',
];

/** "1 of 3 published". */
export function postProgress({ deliveries }: Pick<Post, 'deliveries'>): Progress {
  const total = deliveries.length;
  const published = deliveries.filter(({ status }) => status === 'published').length;
  const open = deliveries.filter(({ status }) => inProgressStatuses.includes(status)).length;
  const others = total - open - published;
  const rest = others > 0 ? `, ${others} not` : '';
  return { done: total - open, total, message: `${published} of ${total} published${rest}.` };
}
