import type { ApiKey } from '../../src/access/api-key.js';
import type { Approval } from '../../src/approvals/approval.js';
import type { AuthorizedClient } from '../../src/clients/authorized-client.js';
import type { Invitation } from '../../src/clients/invitation.js';
import type { ConnectChoice, ConnectFlow, ConnectSession } from '../../src/connections/connect-session.js';
import type { Connection } from '../../src/connections/connection.js';
import type { ExternalPost, PostListing } from '../../src/analytics/external-post.js';
import type { RefreshReceipt, SealedCredential } from '../../src/connections/credential.js';
import type { Delivery, DeliveryAttempt } from '../../src/deliveries/delivery.js';
import type { Event } from '../../src/events/event.js';
import type { ConnectionId, MediaId, RefundId, WorkspaceId } from '../../src/ids.js';
import type { Media } from '../../src/media/media.js';
import type { PlatformApp } from '../../src/platforms/platform-app.js';
import type {
  ChainHead,
  InstallationState,
  Job,
  RegisteredProcess,
  LedgerEntry,
  OAuthRecord,
  Snapshot,
  WrappedDataKey,
} from '../../src/ports/index.js';
import type { Post } from '../../src/posts/post.js';
import type { PostingQueue } from '../../src/posts/queue.js';
import type { Profile } from '../../src/profiles/profile.js';
import type { Quote, Refund } from '../../src/refunds/refund.js';
import type { WebhookDelivery } from '../../src/webhooks/webhook.js';
import type { Workspace } from '../../src/workspaces/workspace.js';
import type { StoredDismissal } from './memory-dismissals.js';
import type { StoredStoreWebhook } from './memory-store-webhooks.js';
import type { StoredOrderVersions, StoredOrderWatch } from './memory-order-watches.js';
import type { StoredAuditEntry } from './memory-audit.js';
import type { StoredWebhook } from './memory-webhooks.js';

/** The end of the lease, in milliseconds since 1970; 0 without one. */
interface Leased {
  readonly leaseUntilMs: number;
}

interface StoredRequest extends Leased {
  readonly fingerprint: string;
  readonly response: { readonly status: number; readonly sealedBody: Uint8Array } | null;
  readonly createdAtMs: number;
}

export type StoredPost = Omit<Post, 'deliveries' | 'approval' | 'holds'>;
/** The profile is that of its post, or of the connection of its refund. */
export type StoredApproval = Omit<Approval, 'profileId'>;
export type StoredDelivery = Delivery & Leased;
export type StoredMedia = Media & Leased & { readonly dueAtMs: number };
export type StoredCredential = SealedCredential & {
  readonly fence: number;
  readonly leaseUntilMs: number | null;
  readonly renewedAtMs: number;
  readonly grantedAs: number;
  readonly attempt: string | null;
  readonly failures: number;
  readonly nextAttemptAtMs: number;
};
export type StoredReceipt = RefreshReceipt & { readonly receivedAtMs: number };
export type StoredRefund = Omit<Refund, 'approval' | 'heldBy'> &
  Leased & { readonly idempotency: { readonly key: string; readonly fingerprint: string } | null };

/**
 * A refund that counts against a lineage's ceiling. `position`: 0 for the lineage of its own key, then its
 * ancestors, nearest first.
 */
interface StoredCharge {
  readonly id: string;
  readonly workspaceId: WorkspaceId;
  readonly refundId: RefundId;
  readonly lineage: string;
  readonly position: number;
  readonly retained: boolean;
  /** The day on which it counts. */
  readonly chargedAt: Date;
}

/** The whole storage. Its rows are never changed, only replaced, so that a copy of the maps is a snapshot. */
export const emptyState = () => ({
  workspaces: new Map<string, Workspace>(),
  installation: new Map<string, InstallationState>(),
  notifications: new Map<string, { readonly items: readonly string[]; readonly nextCheckAt: Date }>(),
  dismissals: new Map<string, StoredDismissal>(),
  profiles: new Map<string, Profile>(),
  apiKeys: new Map<string, { readonly key: ApiKey; readonly hash: Uint8Array }>(),
  invitations: new Map<string, Invitation & { readonly codeDigest: Uint8Array }>(),
  clients: new Map<string, AuthorizedClient>(),
  /** Those of a client with its workspace. */
  oauthRecords: new Map<string, OAuthRecord & { readonly workspaceId: WorkspaceId | null }>(),
  connections: new Map<string, Connection>(),
  credentials: new Map<string, StoredCredential>(),
  receipts: new Map<string, StoredReceipt>(),
  connectSessions: new Map<string, ConnectSession>(),
  connectFlows: new Map<string, ConnectFlow>(),
  connectChoices: new Map<string, ConnectChoice>(),
  posts: new Map<string, StoredPost>(),
  /** By their profile. */
  postingQueues: new Map<string, PostingQueue>(),
  deliveries: new Map<string, StoredDelivery>(),
  attempts: new Map<string, DeliveryAttempt>(),
  media: new Map<string, StoredMedia>(),
  /** By the post that uses them. */
  postMedia: new Map<string, readonly MediaId[]>(),
  mediaStores: new Map<string, string>(),
  refunds: new Map<string, StoredRefund>(),
  quotes: new Map<string, Quote>(),
  ledgers: new Map<string, LedgerEntry>(),
  ceilingCharges: new Map<string, StoredCharge>(),
  approvals: new Map<string, StoredApproval>(),
  /** By their connection. */
  orderWatches: new Map<string, StoredOrderWatch>(),
  watchedOrders: new Map<string, StoredOrderVersions>(),
  /** By their connection. */
  storeWebhooks: new Map<string, StoredStoreWebhook>(),
  storeWebhookDeliveries: new Map<string, ConnectionId>(),
  snapshots: new Map<string, Snapshot>(),
  externalPosts: new Map<string, ExternalPost>(),
  /** By their connection. */
  postListings: new Map<string, PostListing>(),
  /** When the metrics of an account or post are read again, after the first time. */
  nextReads: new Map<string, Date | null>(),
  platformApps: new Map<string, PlatformApp>(),
  dataKeys: new Map<string, { readonly key: WrappedDataKey; readonly wrappedAt: Date }>(),
  processRegistry: new Map<string, RegisteredProcess>(),
  canaries: new Map<string, Uint8Array>(),
  requests: new Map<string, StoredRequest>(),
  events: new Map<string, Event>(),
  webhooks: new Map<string, StoredWebhook>(),
  webhookDeliveries: new Map<string, WebhookDelivery>(),
  audit: new Map<string, StoredAuditEntry>(),
  auditHeads: new Map<string, ChainHead>(),
  jobs: new Map<string, { readonly job: Job; readonly startAfter: Date | undefined }>(),
});
export type MemoryState = Readonly<ReturnType<typeof emptyState>>;

export const copyState = (state: MemoryState): MemoryState =>
  Object.fromEntries(
    Object.entries(state as unknown as Record<string, Map<string, unknown>>).map(([name, rows]) => [
      name,
      new Map(rows),
    ]),
  ) as unknown as MemoryState;
