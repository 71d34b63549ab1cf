import type {
  AttemptId,
  ConnectionId,
  Delivery,
  DeliveryAttempt,
  DeliveryError,
  DeliveryId,
  DeliveryPart,
  DeliveryStatus,
  Metadata,
  Post,
  PostId,
  ProfileId,
  WorkspaceId,
} from '@switchboard/domain';
import { readJson, writeJson, writeNullableJson } from './columns.js';
import type { DeliveryAttemptModel, DeliveryModel, PostModel } from './generated/models.js';

export const post = (row: PostModel & { readonly deliveries: readonly DeliveryModel[] }): Post => ({
  ...row,
  id: row.id as PostId,
  workspaceId: row.workspaceId as WorkspaceId,
  profileId: row.profileId as ProfileId,
  deliveries: row.deliveries.map(delivery),
  asked: readJson<Post['asked']>(row.asked),
  skipped: readJson<Post['skipped']>(row.skipped),
  metadata: readJson<Metadata>(row.metadata),
});

export const postColumns = ({ asked, skipped, metadata, ...rest }: Omit<Post, 'deliveries'>) => ({
  ...rest,
  asked: writeJson(asked),
  skipped: writeJson(skipped),
  metadata: writeJson(metadata),
});

export function delivery(row: DeliveryModel): Delivery {
  const { accountId, accountUsername, accountName, leaseUntil: _, position: __, ...rest } = row;
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
  };
}

/** The columns of a delivery that is written under its post, at its place in the post's list. */
export function deliveryColumns(
  { account, options, parts, error, postId: _, workspaceId: __, ...rest }: Delivery,
  position: number,
) {
  return {
    ...rest,
    position,
    accountId: account.id,
    accountUsername: account.username,
    accountName: account.name,
    options: writeJson(options),
    parts: writeJson(parts),
    error: writeNullableJson(error),
  };
}

export const attempt = (row: DeliveryAttemptModel): DeliveryAttempt => ({
  ...row,
  id: row.id as AttemptId,
  deliveryId: row.deliveryId as DeliveryId,
  workspaceId: row.workspaceId as WorkspaceId,
  kind: row.kind as DeliveryAttempt['kind'],
  error: readJson<DeliveryError | null>(row.error),
});
