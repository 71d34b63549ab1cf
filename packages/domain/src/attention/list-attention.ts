import { satisfies, type Scope } from '../access/scope.js';
import type { Approval } from '../approvals/approval.js';
import { keyOf, reachOf, type Call } from '../call.js';
import type { Page, PageRequest, Rows } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import { attentionKinds, formatItemId, type AttentionItem, type AttentionKind } from './attention.js';
import { describeAccount } from '../connections/describe-account.js';
import { SCHEDULED_POSTS_MAX, type ConnectionView } from '../connections/list-connections.js';
import { joinNames } from '../join-names.js';
import { formatAmount } from '../money.js';
import type { PostId, RefundId } from '../ids.js';
import { nextCall, type NextCall } from '../next-call.js';
import { describeTime } from '../posts/local-time.js';
import { orderIdOf } from '../refunds/refund-record.js';
import type { DeliveryInReview, UnpublishedPost, UnpublishedReason } from '../ports/deliveries.js';
import type { Pause, PauseCause } from '../pauses/pause.js';
import type { Promotion } from '../pauses/record-timeline.js';
import type { Profile } from '../profiles/profile.js';
import type { Manifest, Manifests } from '../ports/manifest.js';
import type { Refund } from '../refunds/refund.js';
import type { Webhook } from '../webhooks/webhook.js';

type ListAttention = PageCommand;

export type AttentionPorts = Pick<
  ReadPorts,
  | 'approvals'
  | 'clock'
  | 'connections'
  | 'cursors'
  | 'deliveries'
  | 'dismissals'
  | 'manifests'
  | 'pauses'
  | 'profiles'
  | 'refunds'
  | 'webhooks'
>;
type PageReader = (page: PageRequest) => Promise<Rows<AttentionItem>>;

/** The scope with which a key sees an item. Every key learns what holds its posts and refunds. */
const scopeOf: Readonly<Record<AttentionKind, Scope | 'any'>> = {
  installation_paused: 'any',
  database_promoted: 'any',
  profile_paused: 'any',
  connection_paused: 'connections:read',
  refund_needs_review: 'orders:read',
  post_needs_review: 'posts:read',
  approval_pending: 'approvals:write',
  connection_needs_reauth: 'connections:read',
  connection_degraded: 'connections:read',
  webhook_disabled: 'webhooks:read',
  media_failed: 'posts:read',
  post_failed: 'posts:read',
  post_missed: 'posts:read',
  api_version_ends: 'connections:read',
};

export const maySee = (scopes: readonly Scope[], kind: AttentionKind): boolean => {
  const scope = scopeOf[kind];
  return scope === 'any' || satisfies(scopes, scope);
};

/**
 * All items that require a person, that this key may see and that were not dismissed: one kind after the other, newest
 * first within each.
 */
export async function listAttention(
  ports: AttentionPorts,
  call: Call,
  command: ListAttention,
): Promise<Result<Page<AttentionItem>, 'request.invalid_cursor'>> {
  const { scopes } = keyOf(call);
  const kinds = attentionKinds.filter((kind) => maySee(scopes, kind));
  const sources = createSources(ports, call, (scope) => satisfies(scopes, scope));
  return readPage(ports, call, 'attention', { reach: reachOf(call), kinds }, command, (page) =>
    concatenatePages(kinds, withoutDismissed(ports, call, sources), page),
  );
}

/** The first items of the whole workspace that were not dismissed, for the service itself. */
export const listWorkspaceAttention = async (
  ports: AttentionPorts,
  call: Call,
  limit: number,
): Promise<readonly AttentionItem[]> =>
  (
    await concatenatePages(
      attentionKinds,
      withoutDismissed(
        ports,
        call,
        createSources(ports, call, () => true),
      ),
      { limit },
    )
  ).items;

/** Reads on where a page consists of dismissed items. */
function withoutDismissed(
  { dismissals }: Pick<AttentionPorts, 'dismissals'>,
  { workspaceId }: Call,
  sources: Readonly<Record<AttentionKind, PageReader>>,
): Readonly<Record<AttentionKind, PageReader>> {
  const filtered =
    (read: PageReader): PageReader =>
    async ({ limit, after }) => {
      const items: AttentionItem[] = [];
      for (let position = after; ;) {
        const rows = await read({ limit: limit - items.length, after: position });
        const dismissed = await dismissals.list(
          workspaceId,
          rows.items.map(({ id }) => id),
        );
        items.push(...rows.items.filter(({ id }) => !dismissed.has(id)));
        if (rows.next === undefined) return { items };
        if (items.length === limit) return { items, next: rows.next };
        position = rows.next;
      }
    };
  return mapValues(sources, filtered);
}

const mapValues = <Key extends string, Value>(
  values: Readonly<Record<Key, Value>>,
  change: (value: Value) => Value,
): Readonly<Record<Key, Value>> =>
  Object.fromEntries(Object.entries<Value>(values).map(([key, value]) => [key, change(value)])) as Readonly<
    Record<Key, Value>
  >;

const ALL_AT_ONCE = 100;

/** The item with this id, dismissed or not, if its cause still exists within the reach of the call. */
export async function findItem(
  ports: AttentionPorts,
  call: Call,
  kind: AttentionKind,
  id: string,
): Promise<AttentionItem | null> {
  const read = createSources(ports, call, () => true)[kind];
  for (let after: string | undefined; ;) {
    const rows = await read({ limit: ALL_AT_ONCE, after });
    const found = rows.items.find((item) => item.id === id);
    if (found || rows.next === undefined) return found ?? null;
    after = rows.next;
  }
}

/** A position is a kind and the place within it. One query per kind, regardless of the number of items. */
async function concatenatePages(
  kinds: readonly AttentionKind[],
  sources: Readonly<Record<AttentionKind, PageReader>>,
  { limit, after }: PageRequest,
): Promise<Rows<AttentionItem>> {
  const [from, place] = after?.split(' ', 2) ?? [];
  const items: AttentionItem[] = [];
  let position = place === '' ? undefined : place;
  for (const kind of kinds.slice(
    Math.max(
      kinds.findIndex((one) => one === from),
      0,
    ),
  )) {
    const remaining = limit - items.length;
    const rows = await sources[kind]({ limit: Math.max(remaining, 1), after: position });
    if (remaining === 0 && rows.items.length > 0) return { items, next: `${kind} ` };
    items.push(...rows.items);
    if (rows.next !== undefined) return { items, next: `${kind} ${rows.next}` };
    position = undefined;
  }
  return { items };
}

function createSources(
  ports: AttentionPorts,
  call: Call,
  hasScope: (scope: Scope) => boolean,
): Readonly<Record<AttentionKind, PageReader>> {
  const { connections, deliveries, refunds, manifests } = ports;
  const { workspaceId } = call;
  const reach = reachOf(call);
  const now = ports.clock.now();
  const unpublished =
    (reason: UnpublishedReason): PageReader =>
    async (page) => {
      const since = ports.clock.after(-LISTED_DAYS[reason] * DAY_MS);
      return mapRows(await deliveries.listUnpublished(workspaceId, reason, reach, since, page), (post) =>
        unpublishedPostItem(manifests, reason, post),
      );
    };
  /** With the time zones of their profiles. */
  const mapConnections = async (rows: Rows<ConnectionView>, item: ConnectionItem) => {
    const ids = [...new Set(rows.items.map(({ connection }) => connection.profileId))];
    const found = await Promise.all(ids.map((id) => ports.profiles.find(workspaceId, id)));
    const timezones = new Map(found.flatMap((profile) => (profile ? [[profile.id, profile.timezone]] : [])));
    return mapRows(rows, (view) =>
      item(manifests, hasScope, view, timezones.get(view.connection.profileId) ?? 'UTC'),
    );
  };
  return {
    installation_paused: async () => {
      const { pause } = await ports.pauses.findInstallation();
      return { items: pause ? [installationItem(pause)] : [] };
    },
    database_promoted: async () => {
      const { promotion } = await ports.pauses.findInstallation();
      const isListed = promotion && promotion.at > ports.clock.after(-PROMOTION_DAYS * DAY_MS);
      return { items: isListed ? [promotionItem(hasScope, promotion)] : [] };
    },
    profile_paused: async (page) =>
      mapRows(await ports.profiles.list(workspaceId, { reach, isPaused: true }, page), (profile) =>
        profileItem(hasScope, profile),
      ),
    connection_paused: async (page) =>
      mapRows(await connections.list(workspaceId, { reach, isPaused: true }, page), (view) =>
        pausedConnectionItem(manifests, view),
      ),
    refund_needs_review: async (page) => {
      const rows = await refunds.list(workspaceId, { reach, statuses: ['needs_review'] }, page);
      const ids = rows.items.map(({ connectionId }) => connectionId);
      const usable = ids.length === 0 ? [] : await connections.listAll(workspaceId, { reach, ids });
      const live = new Set(usable.filter(({ status }) => status !== 'needs_reauth').map(({ id }) => id));
      return mapRows(rows, (refund) => refundItem(refund, live.has(refund.connectionId)));
    },
    post_needs_review: async (page) =>
      mapRows(await deliveries.listInReview(workspaceId, reach, page), (delivery) =>
        reviewItem(manifests, delivery),
      ),
    approval_pending: async (page) =>
      mapRows(await ports.approvals.list(workspaceId, { reach, statuses: ['pending'] }, page), (approval) =>
        approvalItem(hasScope, approval),
      ),
    connection_needs_reauth: async (page) =>
      mapConnections(
        await connections.list(workspaceId, { reach, statuses: ['needs_reauth'] }, page),
        connectionItem,
      ),
    connection_degraded: async (page) =>
      mapConnections(
        await connections.list(workspaceId, { reach, statuses: ['degraded'] }, page),
        degradedConnectionItem,
      ),
    webhook_disabled: async (page) =>
      mapRows(await ports.webhooks.listStopped(workspaceId, page), (webhook) =>
        webhookItem(hasScope, webhook),
      ),
    media_failed: unpublished('media_failed'),
    post_failed: unpublished('failed'),
    post_missed: unpublished('missed'),
    api_version_ends: async (page) => {
      const ending = await endingVersions(ports, call, now);
      const rest = ending.filter(({ platform }) => page.after === undefined || platform > page.after);
      const items = rest.slice(0, page.limit);
      const last = items.at(-1);
      return rest.length > page.limit && last ? { items, next: last.platform } : { items };
    },
  };
}

const mapRows = <Row>(rows: Rows<Row>, item: (row: Row) => AttentionItem): Rows<AttentionItem> => ({
  ...rows,
  items: rows.items.map(item),
});

/** Platforms with at least one connection, in the order of their ids. */
async function endingVersions(
  { manifests, connections, clock }: AttentionPorts,
  call: Call,
  now: Date,
): Promise<readonly AttentionItem[]> {
  const until = clock
    .after(VERSION_NOTICE_DAYS * DAY_MS)
    .toISOString()
    .slice(0, 10);
  const ending = manifests
    .list()
    .flatMap((manifest) => {
      const { apiVersionEndsOn: endsOn } = manifest;
      return endsOn !== null && endsOn <= until ? [{ manifest, endsOn }] : [];
    })
    .sort((a, b) => (a.manifest.id < b.manifest.id ? -1 : 1));
  if (ending.length === 0) return [];
  const ids = ending.map(({ manifest }) => manifest.id);
  const connected = await connections.listPlatforms(call.workspaceId, reachOf(call), ids);
  return ending
    .filter(({ manifest }) => connected.includes(manifest.id))
    .map(({ manifest, endsOn }) => apiVersionItem(manifest, endsOn, now));
}

/** Posts whose publish window ended longer ago are no longer listed. */
const LISTED_DAYS: Readonly<Record<UnpublishedReason, number>> = {
  missed: 30,
  failed: 7,
  media_failed: 7,
};
/** The same for a promotion of the database. */
const PROMOTION_DAYS = 7;
/** How many days before a platform API version ends the operator is notified. */
const VERSION_NOTICE_DAYS = 90;
const DAY_MS = 86_400_000;

type ManifestLookup = Pick<Manifests, 'find'>;
type ScopeCheck = (scope: Scope) => boolean;
type ConnectionItem = (
  manifests: ManifestLookup,
  hasScope: ScopeCheck,
  view: ConnectionView,
  timezone: string,
) => AttentionItem;

type ItemTexts = Pick<AttentionItem, 'summary' | 'message'>;
const texts = (summary: string, instruction?: string): ItemTexts => ({
  summary,
  message: instruction === undefined ? summary : `${summary} ${instruction}`,
});

const platformName = (manifests: ManifestLookup, id: string): string =>
  manifests.find(id)?.name ?? 'a platform';

/** `live`: the store can be queried, so the order itself shows the outcome of the refund. */
const refundItem = (refund: Refund, live: boolean): AttentionItem => ({
  id: formatItemId('refund_needs_review', refund.id, refund.epoch),
  kind: 'refund_needs_review',
  since: refund.createdAt,
  title: `${formatAmount(refund.amount)} ${refund.amount.currency}`,
  platform: refund.platform,
  connectionId: refund.connectionId,
  refundId: refund.id,
  ...texts(
    'The outcome of this refund is unknown and the store cannot be queried.',
    `Compare it with the order in the store, then resolve it: POST /v1/ecommerce/refunds/${refund.id}/resolve. Do not send it again.`,
  ),
  next: live ? nextCall.getOrder(orderIdOf(refund)) : nextCall.listRefunds(orderIdOf(refund)),
});

const heldSince = ({ at }: Pause, what: string) =>
  `${what} is paused since ${describeTime(at, 'UTC')}: no post and no refund is sent.`;

const causes: Readonly<Record<PauseCause, string>> = {
  requested: '',
  restored_backup:
    ' It was restored from a backup, or its database had been moved before; what is overdue is read back from its platform before it is sent.',
  moved: ' Its database was moved.',
  moved_away: ' Its database was moved, and another one is current: use that one.',
  changed_public_url:
    ' Its public URL changed; what is overdue is read back from its platform before it is sent.',
};

/** The reason in words of others is not in the message. */
const installationItem = (pause: Pause): AttentionItem => ({
  id: formatItemId('installation_paused', '', pause.at.getTime()),
  kind: 'installation_paused',
  since: pause.at,
  title: pause.reason,
  platform: '',
  ...texts(
    `${heldSince(pause, 'The whole installation')}${causes[pause.cause]}`,
    'Its operator ends this with `switchboard resume`.',
  ),
  next: nextCall.getMe(),
});

const promotionItem = (hasScope: ScopeCheck, { at }: Promotion): AttentionItem => ({
  id: formatItemId('database_promoted', '', at.getTime()),
  kind: 'database_promoted',
  since: at,
  title: null,
  platform: '',
  ...texts(
    `The database failed over or was restored at ${describeTime(at, 'UTC')}. What it accepted just before may be missing, unless it replicates synchronously. What waited is read back from its platform before it is sent.`,
    'Compare what you requested just before with what exists, and repeat what is missing only if it was not sent. Dismiss this afterwards.',
  ),
  next: hasScope('posts:read') ? nextCall.listPosts() : nextCall.getMe(),
});

const profileItem = (hasScope: ScopeCheck, { id, name, pause }: Profile): AttentionItem => ({
  id: formatItemId('profile_paused', id, pause?.at.getTime() ?? 0),
  kind: 'profile_paused',
  since: pause?.at ?? null,
  title: name,
  platform: '',
  profileId: id,
  ...texts(
    pause ? heldSince(pause, 'This profile') : '',
    `Resume it when its posts and refunds may be sent: POST /v1/profiles/${id}/resume.`,
  ),
  next: hasScope('profiles:read') ? nextCall.listProfiles() : nextCall.getMe(),
});

const pausedConnectionItem = (
  manifests: ManifestLookup,
  { connection: { id, platform, label, account, pause } }: ConnectionView,
): AttentionItem => ({
  id: formatItemId('connection_paused', id, pause?.at.getTime() ?? 0),
  kind: 'connection_paused',
  since: pause?.at ?? null,
  title: label ?? account.name ?? account.username,
  platform,
  connectionId: id,
  ...texts(
    pause ? heldSince(pause, describeAccount(account, platformName(manifests, platform))) : '',
    `Resume it when its posts and refunds may be sent: PATCH /v1/connections/${id} with paused: false.`,
  ),
  next: nextCall.getConnection(id),
});

const reviewItem = (manifests: ManifestLookup, delivery: DeliveryInReview): AttentionItem => ({
  id: formatItemId('post_needs_review', delivery.id, delivery.since.getTime()),
  kind: 'post_needs_review',
  since: delivery.since,
  title: delivery.text || null,
  platform: delivery.platform,
  connectionId: delivery.connectionId,
  postId: delivery.postId,
  deliveryId: delivery.id,
  ...texts(
    `The post may already be published on ${describeAccount(delivery.account, platformName(manifests, delivery.platform))}, which cannot be queried.`,
    `Check the account, then resolve the delivery: POST /v1/social/posts/${delivery.postId}/deliveries/${delivery.id}/resolve. Do not send it again.`,
  ),
  next: nextCall.getPost(delivery.postId),
});

const approvalItem = (
  hasScope: ScopeCheck,
  { id, summary, postId, refundId, requestedAt, expiresAt }: Approval,
): AttentionItem => ({
  id: formatItemId('approval_pending', id, 1),
  kind: 'approval_pending',
  since: requestedAt,
  title: null,
  platform: '',
  approvalId: id,
  ...(postId && { postId }),
  ...(refundId && { refundId }),
  ...texts(
    `A person has to decide until ${describeTime(expiresAt, 'UTC')}: ${summary}`,
    `Approve or reject it: POST /v1/approvals/${id}/approve or /reject.`,
  ),
  next: approvalCall(hasScope, postId, refundId),
});

/** What is decided about, where the key may read it. */
function approvalCall(hasScope: ScopeCheck, postId: PostId | null, refundId: RefundId | null): NextCall {
  if (postId)
    return hasScope('posts:read') ? nextCall.getPost(postId) : nextCall.listApprovals({ post_id: postId });
  const id = refundId ?? '';
  return hasScope('orders:read') ? nextCall.getRefund(id) : nextCall.listApprovals({ refund_id: id });
}

function connectionItem(
  manifests: ManifestLookup,
  hasScope: ScopeCheck,
  { connection, scheduledPosts, nextPostAt }: ConnectionView,
  timezone: string,
): AttentionItem {
  const { id, platform, label, account } = connection;
  const count = `${scheduledPosts}${scheduledPosts === SCHEDULED_POSTS_MAX ? ' or more' : ''}`;
  const waiting =
    scheduledPosts === 0
      ? 'No scheduled post depends on it.'
      : `${scheduledPosts === 1 ? '1 scheduled post depends' : `${count} scheduled posts depend`} on it, the first due at ${nextPostAt === null ? 'an unknown time' : describeTime(nextPostAt, timezone)}.`;
  const next = hasScope('connections:write')
    ? nextCall.startConnect({ connection_id: id })
    : nextCall.getConnection(id);
  return {
    id: formatItemId('connection_needs_reauth', id, 1),
    kind: 'connection_needs_reauth',
    since: null,
    title: label ?? account.name ?? account.username,
    platform,
    connectionId: id,
    scheduledPosts,
    nextPostAt,
    ...texts(
      `The login of ${describeAccount(account, platformName(manifests, platform))} has expired or was revoked: the account owner must reconnect it. ${waiting}`,
    ),
    next,
  };
}

function degradedConnectionItem(
  manifests: ManifestLookup,
  hasScope: ScopeCheck,
  view: ConnectionView,
  timezone: string,
): AttentionItem {
  const { account, platform, statusReason } = view.connection;
  const name = describeAccount(account, platformName(manifests, platform));
  return {
    ...connectionItem(manifests, hasScope, view, timezone),
    id: formatItemId('connection_degraded', view.connection.id, 1),
    kind: 'connection_degraded',
    ...texts(`${name}: ${statusReason ?? 'The account works, but must be reconnected.'}`),
  };
}

function unpublishedPostItem(
  manifests: ManifestLookup,
  reason: UnpublishedReason,
  post: UnpublishedPost,
): AttentionItem {
  const names = joinNames(
    post.accounts.map((account) => describeAccount(account, platformName(manifests, account.platform))),
  );
  const platform = post.accounts[0]?.platform ?? '';
  const codes = post.codes.length === 0 ? '' : ` (${post.codes.join(', ')})`;
  const textsByReason: Readonly<Record<UnpublishedReason, ItemTexts>> = {
    missed: texts(
      `The publish window was missed on ${names}, and the post is not retried automatically.`,
      `To publish it now, call retry_post (POST /v1/social/posts/${post.id}/retry); otherwise no action is needed.`,
    ),
    failed: texts(
      `Publishing failed on ${names}${codes}; the error of each delivery says why and who can fix it.`,
      `Fix that and call retry_post (POST /v1/social/posts/${post.id}/retry); otherwise no action is needed.`,
    ),
    media_failed: texts(
      `The media of this post cannot be used: it will fail on ${names} at ${describeTime(post.at, post.timezone)}.`,
      `Replace the media with update_post (PATCH /v1/social/posts/${post.id}), or cancel the post.`,
    ),
  };
  return {
    id: formatItemId(unpublishedKinds[reason], post.id, post.occurrence),
    kind: unpublishedKinds[reason],
    since: reason === 'media_failed' ? null : post.at,
    title: post.text || null,
    platform,
    postId: post.id,
    ...textsByReason[reason],
    next: nextCall.getPost(post.id),
  };
}

const unpublishedKinds = {
  missed: 'post_missed',
  failed: 'post_failed',
  media_failed: 'media_failed',
} as const satisfies Record<UnpublishedReason, AttentionKind>;

const webhookItem = (
  hasScope: ScopeCheck,
  { id, url, description, disabledAt, disabledReason }: Webhook,
): AttentionItem => ({
  id: formatItemId('webhook_disabled', id, disabledAt?.getTime() ?? 0),
  kind: 'webhook_disabled',
  since: disabledAt,
  title: description ?? new URL(url).host,
  platform: '',
  webhookId: id,
  ...texts(
    `This webhook receives no events any more: ${
      disabledReason === 'gone'
        ? 'its endpoint responded with status 410'
        : 'every delivery to its endpoint failed for five days'
    }.`,
    `Repair the endpoint and enable the webhook (PATCH /v1/webhooks/${id}), then send the missed events again (POST /v1/webhooks/${id}/redeliver); or delete it.`,
  ),
  next: hasScope('webhooks:write') ? nextCall.updateWebhook(id) : nextCall.getWebhook(id),
});

function apiVersionItem({ id, name, apiVersion }: Manifest, endsOn: string, now: Date): AttentionItem {
  const ends = endsOn <= now.toISOString().slice(0, 10) ? 'has ended on' : 'ends on';
  return {
    id: formatItemId('api_version_ends', id, endsOn),
    kind: 'api_version_ends',
    since: new Date(new Date(endsOn).getTime() - VERSION_NOTICE_DAYS * DAY_MS),
    title: name,
    platform: id,
    ...texts(
      `Version ${apiVersion} of the API of ${name} ${ends} ${endsOn}. The operator must update this service.`,
    ),
    next: nextCall.getPlatform(id),
  };
}
