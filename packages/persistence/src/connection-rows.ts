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
import { readPause } from './prisma-pauses.js';
import type { ConnectionModel } from './generated/models.js';

/** Field by field: spreading a row costs more than reading it. */
export const toConnection = (row: Omit<ConnectionModel, 'deletedAt' | 'paused'>): Connection => ({
  id: row.id as ConnectionId,
  workspaceId: row.workspaceId as WorkspaceId,
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
    ...(row.accountTextLimits !== null && { textLimits: readJson<TextLimits>(row.accountTextLimits) }),
    ...(row.accountMediaLimits !== null && {
      mediaLimits: readMediaLimits(readJson(row.accountMediaLimits)),
    }),
  },
  accountServer: row.accountServer,
  server: row.server,
  connectMethod: row.connectMethod,
  grantedPermissions: row.grantedPermissions,
  refusedPermissions: row.refusedPermissions,
  expiresAt: row.expiresAt,
  warnedDays: row.warnedDays,
  appMissing: row.appMissing,
  watchOrders: row.watchOrders,
  createdAt: row.createdAt,
  lastCheckedAt: row.lastCheckedAt,
  version: row.version,
});

/** Limits that were stored before documents were media lack that field. */
const readMediaLimits = (
  stored: Omit<MediaRules, 'documents'> & Partial<Pick<MediaRules, 'documents'>>,
): MediaRules => ({ documents: null, ...stored });
