import type { Repositories } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';
import { prismaApiKeys } from './prisma-api-keys.js';
import { prismaApprovals } from './prisma-approvals.js';
import { prismaAuditTrail } from './prisma-audit-trail.js';
import {
  prismaAccessTokens,
  prismaClients,
  prismaInvitations,
  prismaOAuthRecords,
} from './prisma-clients.js';
import { prismaConnections } from './prisma-connections.js';
import { prismaConnectSessions } from './prisma-connect-sessions.js';
import { prismaCredentials } from './prisma-credentials.js';
import { prismaDataKeys } from './prisma-data-keys.js';
import { prismaDeliveries } from './prisma-deliveries.js';
import { prismaEvents } from './prisma-events.js';
import { prismaDismissals } from './prisma-dismissals.js';
import { prismaExternalPosts } from './prisma-external-posts.js';
import { prismaMedia } from './prisma-media.js';
import { prismaNotifications } from './prisma-notifications.js';
import { prismaOrderWatches } from './prisma-order-watches.js';
import { prismaStoreWebhooks } from './prisma-store-webhooks.js';
import { prismaPauses } from './prisma-pauses.js';
import { prismaPlatformApps } from './prisma-platform-apps.js';
import { prismaPostingQueues } from './prisma-posting-queues.js';
import { prismaPosts } from './prisma-posts.js';
import { prismaProfiles } from './prisma-profiles.js';
import { prismaRefunds } from './prisma-refunds.js';
import { prismaSnapshots } from './prisma-snapshots.js';
import { prismaWebhooks } from './prisma-webhooks.js';
import { prismaWorkspaces } from './prisma-workspaces.js';

/** `currentTraceparent` is the trace to which new deliveries belong. */
export const prismaRepositories = (
  client: DatabaseClient,
  currentTraceparent: () => string | null = () => null,
): Repositories => ({
  workspaces: prismaWorkspaces(client),
  profiles: prismaProfiles(client),
  apiKeys: prismaApiKeys(client),
  invitations: prismaInvitations(client),
  clients: prismaClients(client),
  accessTokens: prismaAccessTokens(client),
  oauthRecords: prismaOAuthRecords(client),
  connections: prismaConnections(client),
  credentials: prismaCredentials(client),
  connectSessions: prismaConnectSessions(client),
  posts: prismaPosts(client, currentTraceparent),
  postingQueues: prismaPostingQueues(client),
  deliveries: prismaDeliveries(client),
  media: prismaMedia(client),
  refunds: prismaRefunds(client),
  approvals: prismaApprovals(client),
  pauses: prismaPauses(client),
  orderWatches: prismaOrderWatches(client),
  storeWebhooks: prismaStoreWebhooks(client),
  snapshots: prismaSnapshots(client),
  externalPosts: prismaExternalPosts(client),
  platformApps: prismaPlatformApps(client),
  dataKeys: prismaDataKeys(client),
  auditTrail: prismaAuditTrail(client),
  events: prismaEvents(client),
  webhooks: prismaWebhooks(client),
  notifications: prismaNotifications(client),
  dismissals: prismaDismissals(client),
});
