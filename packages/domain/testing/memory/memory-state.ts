import type { ApiKey } from '../../src/access/api-key.js';
import type { AuthorizedClient } from '../../src/clients/authorized-client.js';
import type { Invitation } from '../../src/clients/invitation.js';
import type { ConnectChoice, ConnectFlow, ConnectSession } from '../../src/connections/connect-session.js';
import type { Connection } from '../../src/connections/connection.js';
import type { ExternalPost, PostListing } from '../../src/analytics/external-post.js';
import type { RefreshReceipt, SealedCredential } from '../../src/connections/credential.js';
import type { Delivery, DeliveryAttempt } from '../../src/deliveries/delivery.js';
import type { Event } from '../../src/events/event.js';
import type { MediaId, RefundId, WorkspaceId } from '../../src/ids.js';
import type { Media } from '../../src/media/media.js';
import type { PlatformApp } from '../../src/platforms/platform-app.js';
import type {
  ChainHead,
  Job,
  RegisteredProcess,
  LedgerEntry,
  OAuthRecord,
  Snapshot,
  WrappedDataKey,
} from '../../src/ports/index.js';
import type { Post } from '../../src/posts/post.js';
import type { Profile } from '../../src/profiles/profile.js';
import type { Quote, Refund } from '../../src/refunds/refund.js';
import type { WebhookDelivery } from '../../src/webhooks/webhook.js';
import type { Workspace } from '../../src/workspaces/workspace.js';
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

export type StoredPost = Omit<Post, 'deliveries'>;
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
export type StoredRefund = Refund &
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
}

/** The whole storage. Its rows are never changed, only replaced, so that a copy of the maps is a snapshot. */
export interface MemoryState {
  readonly workspaces: Map<string, Workspace>;
  readonly notifications: Map<string, { readonly items: readonly string[]; readonly nextCheckAt: Date }>;
  readonly profiles: Map<string, Profile>;
  readonly apiKeys: Map<string, { readonly key: ApiKey; readonly hash: Uint8Array }>;
  readonly invitations: Map<string, Invitation & { readonly codeDigest: Uint8Array }>;
  readonly clients: Map<string, AuthorizedClient>;
  /** Those of a client with its workspace. */
  readonly oauthRecords: Map<string, OAuthRecord & { readonly workspaceId: WorkspaceId | null }>;
  readonly connections: Map<string, Connection>;
  readonly credentials: Map<string, StoredCredential>;
  readonly receipts: Map<string, StoredReceipt>;
  readonly connectSessions: Map<string, ConnectSession>;
  readonly connectFlows: Map<string, ConnectFlow>;
  readonly connectChoices: Map<string, ConnectChoice>;
  readonly posts: Map<string, StoredPost>;
  readonly deliveries: Map<string, StoredDelivery>;
  readonly attempts: Map<string, DeliveryAttempt>;
  readonly media: Map<string, StoredMedia>;
  /** By the post that uses them. */
  readonly postMedia: Map<string, readonly MediaId[]>;
  readonly mediaStores: Map<string, string>;
  readonly refunds: Map<string, StoredRefund>;
  readonly quotes: Map<string, Quote>;
  readonly ledgers: Map<string, LedgerEntry>;
  readonly ceilingCharges: Map<string, StoredCharge>;
  readonly snapshots: Map<string, Snapshot>;
  readonly externalPosts: Map<string, ExternalPost>;
  /** By their connection. */
  readonly postListings: Map<string, PostListing>;
  /** When the metrics of an account or post are read again, after the first time. */
  readonly nextReads: Map<string, Date | null>;
  readonly platformApps: Map<string, PlatformApp>;
  readonly dataKeys: Map<string, { readonly key: WrappedDataKey; readonly wrappedAt: Date }>;
  readonly processRegistry: Map<string, RegisteredProcess>;
  readonly canaries: Map<string, Uint8Array>;
  readonly requests: Map<string, StoredRequest>;
  readonly events: Map<string, Event>;
  readonly webhooks: Map<string, StoredWebhook>;
  readonly webhookDeliveries: Map<string, WebhookDelivery>;
  readonly audit: Map<string, StoredAuditEntry>;
  readonly auditHeads: Map<string, ChainHead>;
  readonly jobs: Map<string, { readonly job: Job; readonly startAfter: Date | undefined }>;
}

export const emptyState = (): MemoryState => ({
  workspaces: new Map(),
  notifications: new Map(),
  profiles: new Map(),
  apiKeys: new Map(),
  invitations: new Map(),
  clients: new Map(),
  oauthRecords: new Map(),
  connections: new Map(),
  credentials: new Map(),
  receipts: new Map(),
  connectSessions: new Map(),
  connectFlows: new Map(),
  connectChoices: new Map(),
  posts: new Map(),
  deliveries: new Map(),
  attempts: new Map(),
  media: new Map(),
  postMedia: new Map(),
  mediaStores: new Map(),
  refunds: new Map(),
  quotes: new Map(),
  ledgers: new Map(),
  ceilingCharges: new Map(),
  snapshots: new Map(),
  externalPosts: new Map(),
  postListings: new Map(),
  nextReads: new Map(),
  platformApps: new Map(),
  dataKeys: new Map(),
  processRegistry: new Map(),
  canaries: new Map(),
  requests: new Map(),
  events: new Map(),
  webhooks: new Map(),
  webhookDeliveries: new Map(),
  audit: new Map(),
  auditHeads: new Map(),
  jobs: new Map(),
});

export const copyState = (state: MemoryState): MemoryState =>
  Object.fromEntries(
    Object.entries(state as unknown as Record<string, Map<string, unknown>>).map(([name, rows]) => [
      name,
      new Map(rows),
    ]),
  ) as unknown as MemoryState;
