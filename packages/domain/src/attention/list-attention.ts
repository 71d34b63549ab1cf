import { satisfies, type Scope } from '../access/scope.js';
import { keyOf, reachOf, type Call } from '../call.js';
import type { Page, PageRequest, Rows } from '../page.js';
import { readPage, type PageCommand } from '../paging.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import { attentionKinds, type AttentionItem, type AttentionKind } from './attention.js';
import {
  DAY_MS,
  MISSED_DAYS,
  connectionItem,
  missedPostItem,
  refundItem,
  reviewItem,
  apiVersionItem,
  VERSION_NOTICE_DAYS,
} from './attention-items.js';

export type ListAttention = PageCommand;

type AttentionPorts = Pick<
  ReadPorts,
  'clock' | 'connections' | 'cursors' | 'deliveries' | 'manifests' | 'refunds'
>;
type PageReader = (page: PageRequest) => Promise<Rows<AttentionItem>>;

const scopeOf: Readonly<Record<AttentionKind, Scope>> = {
  refund_needs_review: 'orders:read',
  post_needs_review: 'posts:read',
  connection_needs_reauth: 'connections:read',
  post_missed: 'posts:read',
  api_version_ends: 'connections:read',
};

/**
 * All items that require a person and that this key may see: one kind after the other, newest first within
 * each.
 */
export async function listAttention(
  ports: AttentionPorts,
  call: Call,
  command: ListAttention,
): Promise<Result<Page<AttentionItem>, 'request.invalid_cursor'>> {
  const { scopes } = keyOf(call);
  const kinds = attentionKinds.filter((kind) => satisfies(scopes, scopeOf[kind]));
  const sources = createSources(ports, call, (scope) => satisfies(scopes, scope));
  return readPage(ports, call, 'attention', { reach: reachOf(call), kinds }, command, (page) =>
    concatenatePages(kinds, sources, page),
  );
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
  return {
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
    connection_needs_reauth: async (page) =>
      mapRows(await connections.list(workspaceId, { reach, statuses: ['needs_reauth'] }, page), (view) =>
        connectionItem(manifests, hasScope, view),
      ),
    post_missed: async (page) => {
      const since = ports.clock.after(-MISSED_DAYS * DAY_MS);
      return mapRows(await deliveries.listMissed(workspaceId, reach, since, page), (missed) =>
        missedPostItem(manifests, missed),
      );
    },
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
