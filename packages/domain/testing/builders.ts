import {
  noPolicy,
  type ApiKey,
  type Clock,
  type Connection,
  type ConnectSession,
  type Delivery,
  type DeliveryPart,
  type Ids,
  type NewMedia,
  type PlatformApp,
  type StoredFile,
  type Post,
  type Profile,
  type Quote,
  type Refund,
  type RemoteOrderKey,
  type Workspace,
} from '../src/index.js';

/** Whole things with plain contents; what a test is about is named in `over`. */
export function builders({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }) {
  let count = 0;
  const nth = (name: string) => `${name}-${++count}`;

  const workspace = (over: Partial<Workspace> = {}): Workspace => {
    const id = over.id ?? ids.next('wsp');
    return {
      id,
      name: `shop ${id}`,
      displayName: null,
      logoUrl: null,
      accentColor: null,
      supportEmail: null,
      privacyUrl: null,
      returnUrls: ['https://app.example/done'],
      defaultTimezone: 'Europe/Madrid',
      createdAt: clock.now(),
      version: 1,
      ...over,
    };
  };

  const profile = ({ id: workspaceId }: Pick<Workspace, 'id'>, over: Partial<Profile> = {}): Profile => ({
    id: ids.next('prf'),
    workspaceId,
    name: nth('profile'),
    externalId: null,
    timezone: 'UTC',
    metadata: { tier: 'gold' },
    isDefault: false,
    paused: false,
    createdAt: clock.now(),
    version: 1,
    ...over,
  });

  const platformApp = (
    { id: workspaceId }: Pick<Workspace, 'id'>,
    over: Partial<PlatformApp> = {},
  ): PlatformApp => ({
    id: ids.next('app'),
    workspaceId,
    profileId: null,
    platform: 'sandbox_social',
    clientId: nth('client'),
    sealedSecret: new TextEncoder().encode(nth('sealed secret')),
    generation: 1,
    ...over,
  });

  const apiKey = ({ id: workspaceId }: Pick<Workspace, 'id'>, over: Partial<ApiKey> = {}): ApiKey => {
    const id = over.id ?? ids.next('key');
    return {
      id,
      workspaceId,
      publicId: id.slice(-12),
      lineage: id,
      ancestors: [],
      name: nth('key'),
      scopes: ['posts:read', 'refunds:write'],
      policy: noPolicy,
      createdAt: clock.now(),
      lastUsedAt: null,
      revokedAt: null,
      replacedBy: null,
      version: 1,
      ...over,
    };
  };

  const connection = (
    { id: profileId, workspaceId }: Pick<Profile, 'id' | 'workspaceId'>,
    over: Partial<Connection> = {},
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
    paused: false,
    account: {
      id: nth('account'),
      username: 'ada',
      name: 'Ada',
      avatarUrl: null,
      url: 'https://social.example/ada',
    },
    accountServer: '',
    server: null,
    way: 'oauth',
    grantedPermissions: ['post'],
    expiresAt: null,
    warnedDays: null,
    appMissing: false,
    createdAt: clock.now(),
    lastCheckedAt: null,
    version: 1,
    ...over,
  });

  const connectSession = (
    { id: profileId, workspaceId }: Pick<Profile, 'id' | 'workspaceId'>,
    over: Partial<ConnectSession> = {},
  ): ConnectSession => ({
    id: ids.next('cns'),
    workspaceId,
    profileId,
    tokenHash: new TextEncoder().encode(nth('token hash')),
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
    ...over,
  });

  const part = (over: Partial<DeliveryPart> = {}): DeliveryPart => ({
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
    ...over,
  });

  const delivery = (
    { id: connectionId, workspaceId, platform, account }: Connection,
    over: Partial<Delivery> = {},
  ): Delivery => ({
    id: ids.next('dlv'),
    postId: ids.next('pst'),
    workspaceId,
    connectionId,
    platform,
    account: { id: account.id, username: account.username, name: account.name },
    status: 'pending',
    options: {},
    contentDigest: nth('digest'),
    scheduledAt: clock.after(-1000),
    notAfter: clock.after(21_600_000),
    attempts: 0,
    epoch: 0,
    readBacks: 0,
    parts: [part()],
    externalId: null,
    url: null,
    publishedAt: null,
    error: null,
    nextAttemptAt: null,
    locateAt: null,
    ...over,
  });

  /** A post on these connections; `each` is said of every delivery, and a time given to the post is theirs too. */
  const post = (
    { id: profileId, workspaceId }: Pick<Profile, 'id' | 'workspaceId'>,
    connections: readonly Connection[],
    over: Partial<Post> = {},
    each: Partial<Delivery> = {},
  ): Post => {
    const id = over.id ?? ids.next('pst');
    const scheduledAt = over.scheduledAt ?? clock.after(-1000);
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
      timezone: 'UTC',
      notAfter: clock.after(21_600_000),
      draft: false,
      asked: { targets: 'all', scheduledAt: scheduledAt.toISOString(), notAfter: null },
      deliveries: connections.map((target) => delivery(target, { postId: id, scheduledAt, ...each })),
      skipped: [],
      externalId: null,
      metadata: {},
      createdBy: 'key_test',
      createdAt: clock.now(),
      updatedAt: clock.now(),
      version: 1,
      ...over,
    };
  };

  const file = (over: Partial<StoredFile> = {}): StoredFile => ({
    name: nth('file'),
    type: 'image/png',
    bytes: 1000,
    sha256: 'ab'.repeat(32),
    width: 640,
    height: 480,
    durationSeconds: null,
    animated: false,
    ...over,
  });

  /** Uploaded and ready. */
  const media = ({ id: workspaceId }: Pick<Workspace, 'id'>, over: Partial<NewMedia> = {}): NewMedia => ({
    id: ids.next('med'),
    workspaceId,
    status: 'ready',
    source: 'upload',
    sourceUrl: null,
    lineage: 'key_lineage',
    declared: null,
    file: file(),
    altText: 'A cat',
    error: null,
    createdAt: clock.now(),
    ...over,
  });

  /** To be fetched by the worker. */
  const fetched = (of: Pick<Workspace, 'id'>, over: Partial<NewMedia> = {}): NewMedia =>
    media(of, {
      status: 'processing',
      source: 'url',
      sourceUrl: 'https://files.example/cat.png',
      file: null,
      ...over,
    });

  const quote = ({ id: connectionId, workspaceId }: Connection, over: Partial<Quote> = {}): Quote => ({
    id: ids.next('quo'),
    workspaceId,
    connectionId,
    orderExternalId: nth('order'),
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
    ...over,
  });

  const refund = (
    { id: connectionId, workspaceId, platform, accountServer, account }: Connection,
    over: Partial<Refund> = {},
  ): Refund => {
    const id = over.id ?? ids.next('rfd');
    return {
      id,
      workspaceId,
      connectionId,
      platform,
      accountServer,
      remoteAccountId: account.id,
      orderExternalId: nth('order'),
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
      createdBy: 'key_test',
      createdAt: clock.now(),
      sentAt: null,
      nextAttemptAt: null,
      settledAt: null,
      epoch: 0,
      ...over,
    };
  };

  return {
    workspace,
    profile,
    platformApp,
    apiKey,
    connection,
    connectSession,
    part,
    delivery,
    post,
    file,
    media,
    fetched,
    quote,
    refund,
  };
}

export type Builders = ReturnType<typeof builders>;

export const orderOf = ({
  workspaceId,
  platform,
  accountServer,
  remoteAccountId,
  orderExternalId,
}: Refund): RemoteOrderKey => ({
  workspaceId,
  platform,
  accountServer,
  remoteAccountId,
  orderExternalId,
});
