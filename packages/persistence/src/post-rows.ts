import type {
  AttemptId,
  ConnectionId,
  DeliveryId,
  PostId,
  ProfileId,
  WorkspaceId,
} from '@switchboard/domain';
import type {
  Delivery,
  DeliveryEdit,
  DeliveryAttempt,
  DeliveryError,
  DeliveryPart,
  DeliveryStatus,
} from '@switchboard/domain/deliveries';
import type { MediaUse, Post, ThreadItem } from '@switchboard/domain/posts';
import type { Metadata } from '@switchboard/domain/profiles';
import { readJson, writeJson, writeNullableJson } from './columns.js';
import { columnOf } from './model-columns.js';
import { readApprovalState } from './prisma-approvals.js';
import type { DeliveryAttemptModel, DeliveryModel, PostModel } from './generated/models.js';

export const toPost = (row: PostModel & { readonly deliveries: readonly DeliveryModel[] }): Post => ({
  ...row,
  holds: {},
  id: row.id as PostId,
  workspaceId: row.workspaceId as WorkspaceId,
  profileId: row.profileId as ProfileId,
  deliveries: row.deliveries.map(toDelivery),
  media: readJson<MediaUse[]>(row.media),
  thread: readJson<ThreadItem[]>(row.thread),
  firstComment: readJson<Post['firstComment']>(row.firstComment),
  requested: readJson<Post['requested']>(row.requested),
  skipped: readJson<Post['skipped']>(row.skipped),
  metadata: readJson<Metadata>(row.metadata),
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
    ...rest,
    id: row.id as DeliveryId,
    postId: row.postId as PostId,
    workspaceId: row.workspaceId as WorkspaceId,
    connectionId: row.connectionId as ConnectionId,
    account: { id: accountId, username: accountUsername, name: accountName },
    status: row.status as DeliveryStatus,
    options: readJson<Delivery['options']>(row.options),
    parts: readJson<DeliveryPart[]>(row.parts),
    error: readJson<DeliveryError | null>(row.error),
    edit: readJson<DeliveryEdit | null>(row.edit),
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
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [columnOf(name), value as unknown]));

export const toDeliveryAttempt = (row: DeliveryAttemptModel): DeliveryAttempt => ({
  ...row,
  id: row.id as AttemptId,
  deliveryId: row.deliveryId as DeliveryId,
  workspaceId: row.workspaceId as WorkspaceId,
  kind: row.kind as DeliveryAttempt['kind'],
  error: readJson<DeliveryError | null>(row.error),
});
