import type { ApiKey } from '../src/access/api-key.js';
import type { Approval } from '../src/approvals/approval.js';
import { unrestrictedPolicy } from '../src/access/policy.js';
import type { AuthorizedClient } from '../src/clients/authorized-client.js';
import type { Invitation } from '../src/clients/invitation.js';
import type { Call } from '../src/call.js';
import type { ConnectSession } from '../src/connections/connect-session.js';
import type { Connection } from '../src/connections/connection.js';
import type { PresentedConnection } from '../src/connections/list-connections.js';
import type { Delivery, DeliveryPart } from '../src/deliveries/delivery.js';
import type { StoredFile } from '../src/media/media.js';
import type { PlatformApp } from '../src/platforms/platform-app.js';
import type { Clock, Ids, NewMedia } from '../src/ports/index.js';
import type { Post } from '../src/posts/post.js';
import type { Profile } from '../src/profiles/profile.js';
import type { Quote, Refund } from '../src/refunds/refund.js';
import type { Webhook } from '../src/webhooks/webhook.js';
import type { Workspace } from '../src/workspaces/workspace.js';

/** Complete objects with default contents; a test passes the relevant fields in `over`. */
export function builders({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }) {
  let count = 0;
  const nextName = (name: string) => `${name}-${++count}`;

  const build = {
    workspace: (overrides: Partial<Workspace> = {}): Workspace => {
      const id = overrides.id ?? ids.next('wsp');
      return {
        id,
        name: `shop ${id}`,
        displayName: null,
        logoUrl: null,
        accentColor: null,
        supportEmail: null,
        privacyUrl: null,
        returnUrls: ['https://app.example/done'],
        notifyEmails: [],
        notifyEmailsSetBy: null,
        defaultTimezone: 'Europe/Madrid',
        createdAt: clock.now(),
        version: 1,
        ...overrides,
      };
    },

    profile: ({ id: workspaceId }: Pick<Workspace, 'id'>, overrides: Partial<Profile> = {}): Profile => ({
      id: ids.next('prf'),
      workspaceId,
      name: nextName('profile'),
      externalId: null,
      timezone: 'UTC',
      isTimezoneSet: true,
      metadata: { tier: 'gold' },
      isDefault: false,
      pause: null,
      createdAt: clock.now(),
      version: 1,
      ...overrides,
    }),

    platformApp: (
      { id: workspaceId }: Pick<Workspace, 'id'>,
      overrides: Partial<PlatformApp> = {},
    ): PlatformApp => ({
      id: ids.next('app'),
      workspaceId,
      profileId: null,
      platform: 'sandbox_social',
      clientId: nextName('client'),
      sealedSecret: new TextEncoder().encode(nextName('sealed secret')),
      generation: 1,
      ...overrides,
    }),

    webhook: ({ id: workspaceId }: Pick<Workspace, 'id'>, overrides: Partial<Webhook> = {}): Webhook => ({
      id: ids.next('whk'),
      workspaceId,
      url: `https://${nextName('hooks')}.example/in`,
      urlSetBy: null,
      events: ['post.*'],
      profileIds: null,
      description: null,
      hidePersonalData: false,
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
      createdAt: clock.now(),
      version: 1,
      ...overrides,
    }),

    apiKey: ({ id: workspaceId }: Pick<Workspace, 'id'>, overrides: Partial<ApiKey> = {}): ApiKey => {
      const id = overrides.id ?? ids.next('key');
      return {
        id,
        workspaceId,
        publicId: id.slice(-12),
        lineage: id,
        ancestors: [],
        name: nextName('key'),
        scopes: ['posts:read', 'refunds:write'],
        policy: unrestrictedPolicy,
        createdAt: clock.now(),
        lastUsedAt: null,
        revokedAt: null,
        replacedBy: null,
        version: 1,
        ...overrides,
      };
    },

    invitation: (
      { workspaceId, lineage }: Pick<ApiKey, 'workspaceId' | 'lineage'>,
      overrides: Partial<Invitation> = {},
    ): Invitation => ({
      id: ids.next('inv'),
      workspaceId,
      lineage,
      maxClients: 1,
      uses: 0,
      createdBy: 'system:operator',
      createdAt: clock.now(),
      expiresAt: clock.after(3_600_000),
      ...overrides,
    }),

    client: (
      { workspaceId, lineage }: Pick<ApiKey, 'workspaceId' | 'lineage'>,
      overrides: Partial<AuthorizedClient> = {},
    ): AuthorizedClient => ({
      id: ids.next('cli'),
      workspaceId,
      lineage,
      oauthClientId: `https://${nextName('client')}.example/metadata.json`,
      name: nextName('client'),
      host: 'client.example',
      scopes: ['posts:read'],
      createdAt: clock.now(),
      lastUsedAt: null,
      revokedAt: null,
      endReason: null,
      ...overrides,
    }),

    /** A call over REST, in the key's own workspace. */
    call: (key: ApiKey, overrides: Partial<Call> = {}): Call => ({
      requestId: 'req_test',
      surface: 'rest',
      workspaceId: key.workspaceId,
      actor: { kind: 'key', key },
      signal: new AbortController().signal,
      waitSeconds: 0,
      ...overrides,
    }),

    connection: (
      { id: profileId, workspaceId }: Pick<Profile, 'id' | 'workspaceId'>,
      overrides: Partial<Connection> = {},
    ): Connection => ({
      id: ids.next('con'),
      workspaceId,
      profileId,
      platform: 'sandbox_social',
      kind: 'social',
      label: null,
      externalId: null,
      metadata: {},
      status: 'active',
      statusReason: null,
      pause: null,
      account: {
        id: nextName('account'),
        username: 'ada',
        name: 'Ada',
        avatarUrl: null,
        url: 'https://social.example/ada',
      },
      accountServer: '',
      server: null,
      connectMethod: 'oauth',
      grantedPermissions: ['post'],
      refusedPermissions: [],
      expiresAt: null,
      warnedDays: null,
      appMissing: false,
      watchOrders: false,
      createdAt: clock.now(),
      lastCheckedAt: null,
      version: 1,
      ...overrides,
    }),

    connectSession: (
      { id: profileId, workspaceId }: Pick<Profile, 'id' | 'workspaceId'>,
      overrides: Partial<ConnectSession> = {},
    ): ConnectSession => ({
      id: ids.next('cns'),
      workspaceId,
      profileId,
      tokenHash: new TextEncoder().encode(nextName('token hash')),
      platforms: ['sandbox_social'],
      reconnects: null,
      returnUrl: null,
      externalId: null,
      metadata: {},
      locale: null,
      maxConnections: null,
      status: 'pending',
      connectionIds: [],
      error: null,
      createdBy: 'key_test',
      createdAt: clock.now(),
      expiresAt: clock.after(1_800_000),
      ...overrides,
    }),

    part: (overrides: Partial<DeliveryPart> = {}): DeliveryPart => ({
      index: 0,
      kind: 'post',
      title: null,
      text: 'Hello',
      link: null,
      media: [],
      status: 'pending',
      externalId: null,
      url: null,
      receipt: {},
      ...overrides,
    }),

    delivery: (
      { id: connectionId, workspaceId, platform, account }: Connection,
      overrides: Partial<Delivery> = {},
    ): Delivery => ({
      id: ids.next('dlv'),
      postId: ids.next('pst'),
      workspaceId,
      connectionId,
      platform,
      account: { id: account.id, username: account.username, name: account.name },
      status: 'pending',
      options: {},
      contentDigest: nextName('digest'),
      scheduledAt: clock.after(-1000),
      notAfter: clock.after(21_600_000),
      attempts: 0,
      epoch: 0,
      readBacks: 0,
      parts: [build.part()],
      externalId: null,
      url: null,
      publishedAt: null,
      error: null,
      nextAttemptAt: null,
      resolveUrlAt: null,
      restoredAt: null,
      edit: null,
      ...overrides,
    }),

    /** A post on these connections; `each` applies to every delivery, and so does a time given for the post. */
    post: (
      { id: profileId, workspaceId }: Pick<Profile, 'id' | 'workspaceId'>,
      connections: readonly Connection[],
      overrides: Partial<Post> = {},
      deliveryOverrides: Partial<Delivery> = {},
    ): Post => {
      const id = overrides.id ?? ids.next('pst');
      const scheduledAt = overrides.scheduledAt ?? clock.after(-1000);
      return {
        id,
        workspaceId,
        profileId,
        text: 'Hello',
        link: null,
        media: [],
        thread: [],
        firstComment: null,
        scheduledAt,
        queueSlot: null,
        timezone: 'UTC',
        notAfter: clock.after(21_600_000),
        draft: false,
        requested: { targets: 'all', scheduledAt: scheduledAt.toISOString(), notAfter: null },
        deliveries: connections.map((target) =>
          build.delivery(target, { postId: id, scheduledAt, ...deliveryOverrides }),
        ),
        skipped: [],
        externalId: null,
        metadata: {},
        approval: null,
        holds: {},
        createdBy: 'key_test',
        createdAt: clock.now(),
        updatedAt: clock.now(),
        version: 1,
        ...overrides,
      };
    },

    file: (overrides: Partial<StoredFile> = {}): StoredFile => ({
      name: nextName('file'),
      type: 'image/png',
      bytes: 1000,
      sha256: 'ab'.repeat(32),
      width: 640,
      height: 480,
      durationSeconds: null,
      animated: false,
      ...overrides,
    }),

    /** Uploaded and ready. */
    media: ({ id: workspaceId }: Pick<Workspace, 'id'>, overrides: Partial<NewMedia> = {}): NewMedia => ({
      id: ids.next('med'),
      workspaceId,
      status: 'ready',
      source: 'upload',
      sourceUrl: null,
      lineage: 'key_lineage',
      declared: null,
      file: build.file(),
      altText: 'A cat',
      error: null,
      createdAt: clock.now(),
      ...overrides,
    }),

    /** To be downloaded by the worker. */
    fetched: (of: Pick<Workspace, 'id'>, overrides: Partial<NewMedia> = {}): NewMedia =>
      build.media(of, {
        status: 'processing',
        source: 'url',
        sourceUrl: 'https://files.example/cat.png',
        file: null,
        ...overrides,
      }),

    quote: ({ id: connectionId, workspaceId }: Connection, overrides: Partial<Quote> = {}): Quote => ({
      id: ids.next('quo'),
      workspaceId,
      connectionId,
      orderExternalId: nextName('order'),
      keyLineage: 'key_lineage',
      extent: { kind: 'full', lines: [], shippingMinor: 0 },
      amount: { amountMinor: 1200, currency: 'EUR' },
      payments: [{ id: 'payment-1', amountMinor: 1200, moneyMoved: true }],
      paymentId: null,
      reason: null,
      note: null,
      notifyCustomer: null,
      allowOffline: false,
      orderDigest: 'digest of the order',
      refundableAfter: { amountMinor: 3800, currency: 'EUR' },
      expiresAt: clock.after(1_800_000),
      usedBy: null,
      createdAt: clock.now(),
      ...overrides,
    }),

    refund: (
      { id: connectionId, workspaceId, platform, accountServer, account }: Connection,
      overrides: Partial<Refund> = {},
    ): Refund => {
      const id = overrides.id ?? ids.next('rfd');
      return {
        id,
        workspaceId,
        connectionId,
        platform,
        accountServer,
        remoteAccountId: account.id,
        orderExternalId: nextName('order'),
        status: 'pending',
        amount: { amountMinor: 1200, currency: 'EUR' },
        extent: { kind: 'full', lines: [], shippingMinor: 0 },
        payments: [{ id: 'payment-1', amountMinor: 1200, moneyMoved: true }],
        restock: false,
        reason: null,
        note: null,
        notifyCustomer: null,
        moneyMoved: true,
        reference: id,
        externalId: null,
        source: 'switchboard',
        resolvedBy: null,
        error: null,
        quoteId: null,
        keyLineage: 'key_lineage',
        approval: null,
        heldBy: null,
        createdBy: 'key_test',
        createdAt: clock.now(),
        firstSentAt: null,
        sentAt: null,
        nextAttemptAt: null,
        settledAt: null,
        epoch: 0,
        ...overrides,
      };
    },

    /** The pending request for the approval of a post or a refund. */
    approval: (subject: Post | Refund, overrides: Partial<Approval> = {}): Approval => {
      const isPost = 'profileId' in subject;
      return {
        id: ids.next('apr'),
        workspaceId: subject.workspaceId,
        profileId: isPost ? subject.profileId : null,
        kind: isPost ? 'post' : 'refund',
        status: 'pending',
        summary: 'Publish a post.',
        postId: isPost ? subject.id : null,
        refundId: isPost ? null : subject.id,
        digests: { [subject.id]: nextName('digest') },
        refundPreview: isPost
          ? null
          : { orderNumber: '1001', lines: [], shippingMinor: 0, refundableAfterMinor: 100 },
        requestedBy: 'key_test',
        requesters: ['key_lineage'],
        requestedAt: clock.now(),
        expiresAt: clock.after(259_200_000),
        decidedBy: null,
        decidedAt: null,
        note: null,
        ...overrides,
      };
    },
  };
  return build;
}

export type Builders = ReturnType<typeof builders>;

/** What a list returns of the connection. */
export function presentedOf(connection: Connection): PresentedConnection {
  const {
    workspaceId: _,
    accountServer: __,
    server: ___,
    warnedDays: ____,
    appMissing: _____,
    ...presented
  } = connection;
  const { id, username, name, avatarUrl, url } = connection.account;
  return { ...presented, account: { id, username, name, avatarUrl, url } };
}
