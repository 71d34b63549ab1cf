import type { ConnectionId, ProfileId, WorkspaceId } from '@switchboard/domain';
import type {
  Connection,
  ConnectionStatus,
  PlatformKind,
  MediaRules,
  TextLimits,
} from '@switchboard/domain/connections';
import type { Metadata } from '@switchboard/domain/profiles';
import { readJson } from './columns.js';
import type { ConnectionModel } from './generated/models.js';

export function toConnection(row: ConnectionModel): Connection {
  const {
    accountId,
    accountUsername,
    accountName,
    accountAvatarUrl,
    accountUrl,
    accountTextLimits,
    accountMediaLimits,
    deletedAt: _,
    ...rest
  } = row;
  return {
    ...rest,
    id: row.id as ConnectionId,
    workspaceId: row.workspaceId as WorkspaceId,
    profileId: row.profileId as ProfileId,
    kind: row.kind as PlatformKind,
    status: row.status as ConnectionStatus,
    metadata: readJson<Metadata>(row.metadata),
    account: {
      id: accountId,
      username: accountUsername,
      name: accountName,
      avatarUrl: accountAvatarUrl,
      url: accountUrl,
      ...(accountTextLimits !== null && { textLimits: readJson<TextLimits>(accountTextLimits) }),
      ...(accountMediaLimits !== null && { mediaLimits: readMediaLimits(readJson(accountMediaLimits)) }),
    },
  };
}

/** Limits that were stored before documents were media lack that field. */
export const readMediaLimits = (
  stored: Omit<MediaRules, 'documents'> & Partial<Pick<MediaRules, 'documents'>>,
): MediaRules => ({ documents: null, ...stored });
