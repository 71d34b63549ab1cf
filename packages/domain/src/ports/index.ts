import type { ApiKeys } from './api-keys.js';
import type { ApprovalLinks } from './approval-links.js';
import type { Approvals } from './approvals.js';
import type { Audit, AuditCounter, AuditTrail } from './audit.js';
import type { Authorizers, Sessions } from './authorizers.js';
import type { CallerQueries } from './caller-queries.js';
import type { AccessTokens, Clients, Invitations, OAuthRecords } from './clients.js';
import type { Charts } from './charts.js';
import type { Clock } from './clock.js';
import type { Connections, Credentials } from './connections.js';
import type { ConnectSessions } from './connect-sessions.js';
import type { Cursors } from './cursors.js';
import type { Deliveries } from './deliveries.js';
import type { Dismissals } from './dismissals.js';
import type { Downloads } from './downloads.js';
import type { EventFeed, Events } from './events.js';
import type { ExternalPosts } from './external-posts.js';
import type { Idempotency } from './idempotency.js';
import type { Ids } from './ids.js';
import type { Jobs } from './jobs.js';
import type { KeyHasher } from './key-hasher.js';
import type { Limits, AddressThrottle } from './limits.js';
import type { LinkPreviews } from './link-previews.js';
import type { MediaLibrary } from './media.js';
import type { MediaFiles } from './media-files.js';
import type { MediaLinks } from './media-links.js';
import type { MediaTools } from './media-tools.js';
import type { Manifests } from './manifest.js';
import type { Platforms } from './platform.js';
import type { Pauses } from './pauses.js';
import type { OrderWatches } from './order-watches.js';
import type { PlatformApps } from './platform-apps.js';
import type { Notifications } from './notifications.js';
import type { PostingQueues } from './posting-queues.js';
import type { Posts } from './posts.js';
import type { Profiles } from './profiles.js';
import type { Ledger, Refunds } from './refunds.js';
import type { Settings } from './settings.js';
import type { Snapshots } from './snapshots.js';
import type { StoreWebhooks } from './store-webhooks.js';
import type { Tokens } from './tokens.js';
import type { Transactions } from './transactions.js';
import type { DataKeys, Vault } from './vault.js';
import type { Changes, WaitingSlots } from './waiting.js';
import type { WebhookClient, Webhooks } from './webhooks.js';
import type { Workspaces } from './workspaces.js';

/** All repositories that are both read and changed. */
export interface Repositories {
  readonly workspaces: Workspaces;
  readonly profiles: Profiles;
  readonly apiKeys: ApiKeys;
  readonly invitations: Invitations;
  readonly clients: Clients;
  readonly accessTokens: AccessTokens;
  readonly oauthRecords: OAuthRecords;
  readonly connections: Connections;
  readonly credentials: Credentials;
  readonly connectSessions: ConnectSessions;
  readonly posts: Posts;
  readonly postingQueues: PostingQueues;
  readonly deliveries: Deliveries;
  readonly media: MediaLibrary;
  readonly refunds: Refunds;
  readonly approvals: Approvals;
  readonly pauses: Pauses;
  readonly orderWatches: OrderWatches;
  readonly storeWebhooks: StoreWebhooks;
  readonly snapshots: Snapshots;
  readonly externalPosts: ExternalPosts;
  readonly platformApps: PlatformApps;
  readonly dataKeys: DataKeys;
  readonly auditTrail: AuditTrail;
  readonly events: EventFeed;
  readonly webhooks: Webhooks;
  readonly notifications: Notifications;
  readonly dismissals: Dismissals;
}

/** The operations allowed inside a transaction: storage and nothing else. */
export interface Tx extends Repositories {
  readonly ledger: Ledger;
  readonly events: Events;
  readonly audit: Audit;
  readonly jobs: Jobs;
  readonly idempotency: Idempotency;
}

/** Tools without network or storage access: may be used anywhere. */
export interface Tools {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly cursors: Cursors;
  readonly tokens: Tokens;
  readonly keyHasher: KeyHasher;
  readonly manifests: Manifests;
  readonly settings: Settings;
  readonly mediaLinks: MediaLinks;
  readonly approvalLinks: ApprovalLinks;
}

/** The reading half of a repository: `find`, `list`, `count` and `sum` methods. */
export type ReadMethods<Repository> = {
  readonly [
    Method in keyof Repository as Method extends `${'find' | 'list' | 'count' | 'sum'}${string}`
      ? Method
      : never
  ]: Repository[Method];
};

/** Storage as it is read outside a transaction. */
export type ReadRepositories = { readonly [Name in keyof Repositories]: ReadMethods<Repositories[Name]> };

export type ReadPorts = ReadRepositories & Tools;

/** The ports of an `atomic` operation: the transaction that dispatch opened, without network access. */
export type AtomicPorts = Tx & Tools;

/**
 * The ports of a `staged` operation: everything, and a separate transaction for each step that changes
 * something.
 */
export interface Ports extends ReadRepositories, Tools {
  readonly transactions: Transactions;
  readonly auditCounter: AuditCounter;
  readonly limits: Limits;
  readonly changes: Changes;
  readonly waitingSlots: WaitingSlots;
  readonly addressThrottle: AddressThrottle;
  readonly callerQueries: CallerQueries;
  readonly vault: Vault;
  readonly platforms: Platforms;
  readonly sessions: Sessions;
  readonly authorizers: Authorizers;
  readonly mediaFiles: MediaFiles;
  readonly mediaTools: MediaTools;
  readonly downloads: Downloads;
  readonly linkPreviews: LinkPreviews;
  readonly webhookClient: WebhookClient;
  readonly charts: Charts;
}

export type * from './api-keys.js';
export type * from './approval-links.js';
export type * from './approvals.js';
export type * from './audit.js';
export type * from './authorizers.js';
export type * from './caller-queries.js';
export type * from './charts.js';
export type * from './clients.js';
export type * from './clock.js';
export type * from './connect-sessions.js';
export type * from './connections.js';
export type * from './cursors.js';
export type * from './deliveries.js';
export type * from './dismissals.js';
export type * from './downloads.js';
export type * from './events.js';
export type * from './external-posts.js';
export type * from './idempotency.js';
export type * from './ids.js';
export type * from './jobs.js';
export type * from './key-hasher.js';
export type * from './limits.js';
export type * from './link-previews.js';
export type * from './mailer.js';
export type * from './media.js';
export type * from './media-files.js';
export type * from './media-links.js';
export type * from './media-tools.js';
export type * from './outbound.js';
export type * from './connect-method.js';
export type * from './analytics.js';
export type * from './manifest.js';
export type * from './orders.js';
export type * from './order-watches.js';
export type * from './order-webhooks.js';
export type * from './notifications.js';
export type * from './platform.js';
export type * from './publishing.js';
export type * from './refunding.js';
export type * from './session.js';
export type * from './pauses.js';
export type * from './platform-apps.js';
export type * from './posting-queues.js';
export type * from './posts.js';
export type * from './profiles.js';
export type * from './refunds.js';
export type * from './settings.js';
export type * from './snapshots.js';
export type * from './store-webhooks.js';
export type * from './tokens.js';
export type * from './transactions.js';
export type * from './vault.js';
export type * from './waiting.js';
export type * from './webhooks.js';
export type * from './workspaces.js';
