import type { ConnectionId, ProfileId, WorkspaceId } from '@switchboard/domain';
import type {
  Connection,
  ConnectionStatus,
  PlatformKind,
  PresentedConnection,
  MediaRules,
  TextLimits,
} from '@switchboard/domain/connections';
import type { Metadata } from '@switchboard/domain/profiles';
import { readJson } from './columns.js';
import { readPause } from './prisma-pauses.js';
import type { ConnectionModel } from './generated/models.js';

export type PresentedRow = Omit<
  ConnectionModel,
  | 'deletedAt'
  | 'paused'
  | 'workspaceId'
  | 'accountServer'
  | 'accountTextLimits'
  | 'accountMediaLimits'
  | 'server'
  | 'warnedDays'
  | 'appMissing'
>;

/** Field by field: spreading a row costs more than reading it. */
export const toPresentedConnection = (row: PresentedRow): PresentedConnection => ({
  id: row.id as ConnectionId,
  profileId: row.profileId as ProfileId,
  platform: row.platform,
  kind: row.kind as PlatformKind,
  label: row.label,
  externalId: row.externalId,
  metadata: readJson<Metadata>(row.metadata),
  status: row.status as ConnectionStatus,
  statusReason: row.statusReason,
  pause: readPause(row.pause),
  account: {
    id: row.accountId,
    username: row.accountUsername,
    name: row.accountName,
    avatarUrl: row.accountAvatarUrl,
    url: row.accountUrl,
  },
  connectMethod: row.connectMethod,
  grantedPermissions: row.grantedPermissions,
  refusedPermissions: row.refusedPermissions,
  expiresAt: row.expiresAt,
  watchOrders: row.watchOrders,
  createdAt: row.createdAt,
  lastCheckedAt: row.lastCheckedAt,
  version: row.version,
});

export function toConnection(row: Omit<ConnectionModel, 'deletedAt' | 'paused'>): Connection {
  const presented = toPresentedConnection(row);
  return {
    ...presented,
    workspaceId: row.workspaceId as WorkspaceId,
    account: {
      ...presented.account,
      ...(row.accountTextLimits !== null && { textLimits: readJson<TextLimits>(row.accountTextLimits) }),
      ...(row.accountMediaLimits !== null && {
        mediaLimits: readMediaLimits(readJson(row.accountMediaLimits)),
      }),
    },
    accountServer: row.accountServer,
    server: row.server,
    warnedDays: row.warnedDays,
    appMissing: row.appMissing,
  };
}

/** Limits that were stored before documents were media lack that field. */
const readMediaLimits = (
  stored: Omit<MediaRules, 'documents'> & Partial<Pick<MediaRules, 'documents'>>,
): MediaRules => ({ documents: null, ...stored });
