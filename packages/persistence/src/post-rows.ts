import { toSnakeName } from '@switchboard/domain';
import type { Delivery, DeliveryAttempt } from '@switchboard/domain/deliveries';
import type { Post } from '@switchboard/domain/posts';
import { writeJson, readRow } from './columns.js';
import { readApprovalState } from './prisma-approvals.js';
import type { DeliveryAttemptModel, DeliveryModel, PostModel } from './generated/models.js';
import { writeNullableJson } from './write-nullable-json.js';

export const toPost = (row: PostModel & { readonly deliveries: readonly DeliveryModel[] }): Post => ({
  ...readRow<Omit<Post, 'holds'>>(row),
  holds: {},
  deliveries: row.deliveries.map(toDelivery),
  approval: readApprovalState(row.approval),
});

/** Without the state of its approval, which a trigger writes, and what holds it. */
export const toPostColumns = ({
  approval: _,
  holds: __,
  media,
  thread,
  firstComment,
  requested,
  skipped,
  metadata,
  ...rest
}: Omit<Post, 'deliveries'>) => ({
  ...rest,
  media: writeJson(media),
  thread: writeJson(thread),
  firstComment: writeNullableJson(firstComment),
  requested: writeJson(requested),
  skipped: writeJson(skipped),
  metadata: writeJson(metadata),
});

export function toDelivery(row: DeliveryModel): Delivery {
  const {
    accountId,
    accountUsername,
    accountName,
    leaseUntil: _,
    position: __,
    traceparent: ___,
    ...rest
  } = row;
  return {
    ...readRow<Omit<Delivery, 'account'>>(rest),
    account: { id: accountId, username: accountUsername, name: accountName },
  };
}

/** A delivery with its account's fields flattened, as the table stores them. */
export const flattenAccount = ({ account, ...rest }: Delivery) => ({
  ...rest,
  accountId: account.id,
  accountUsername: account.username,
  accountName: account.name,
});

/** The columns of a new delivery, with its position in the post's list. */
export function toDeliveryColumns(one: Delivery, position: number) {
  const { options, parts, error, edit, postId: _, workspaceId: __, ...rest } = flattenAccount(one);
  return {
    ...rest,
    position,
    options: writeJson(options),
    parts: writeJson(parts),
    error: writeNullableJson(error),
    edit: writeNullableJson(edit),
  };
}

/** Maps field names to column names: a row for `jsonb_populate_record`. */
export const toRow = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [toSnakeName(name), value as unknown]));

export const toDeliveryAttempt = (row: DeliveryAttemptModel) => readRow<DeliveryAttempt>(row);
