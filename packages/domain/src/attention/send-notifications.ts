import { isOpen, mayReceiveLink } from '../approvals/decision-link.js';
import { auditRow } from '../audit/audit-row.js';
import { systemCall, type Call } from '../call.js';
import { startConnect } from '../connections/start-connect.js';
import type { ApprovalId, ConnectionId, ConnectSessionId } from '../ids.js';
import type { Mailer, Ports } from '../ports/index.js';
import { ok } from '../result.js';
import type { Workspace } from '../workspaces/workspace.js';
import { attentionKeyOf, type AttentionItem } from './attention.js';
import { composeNotification, isReconnectable, NOTIFIED_ITEMS_MAX } from './compose-notification.js';
import { listWorkspaceAttention } from './list-attention.js';

/** How often a workspace is checked, and how long after an e-mail the next one may follow. */
const CHECK_MS = 60_000;
const PAUSE_MS = 15 * 60_000;
const WORKSPACES_AT_ONCE = 50;
/** A workspace with more items is notified of the most urgent ones. */
const ITEMS_MAX = 500;
const LINK_MINUTES = 7 * 24 * 60;

type NotificationPorts = Pick<
  Ports,
  | 'apiKeys'
  | 'approvalLinks'
  | 'approvals'
  | 'clock'
  | 'connections'
  | 'cursors'
  | 'deliveries'
  | 'dismissals'
  | 'ids'
  | 'manifests'
  | 'notifications'
  | 'pauses'
  | 'profiles'
  | 'refunds'
  | 'settings'
  | 'tokens'
  | 'transactions'
  | 'webhooks'
>;

interface NotificationObserver {
  readonly onSent: (outcome: 'sent' | 'failed') => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Notifies the addresses of each workspace whose check is due of the items that they do not know yet, in one e-mail
 * and at most every 15 minutes. A failed e-mail is sent again after that time: its items count as not notified.
 */
export async function sendNotifications(
  ports: NotificationPorts,
  mailer: Mailer,
  stop: AbortSignal,
  observer: NotificationObserver,
): Promise<void> {
  for (const workspace of await ports.notifications.listDue(WORKSPACES_AT_ONCE)) {
    if (stop.aborted) return;
    await notify(ports, mailer, workspace, stop, observer).catch(observer.onError);
  }
}

async function notify(
  ports: NotificationPorts,
  mailer: Mailer,
  workspace: Workspace,
  signal: AbortSignal,
  { onSent, onError }: NotificationObserver,
): Promise<void> {
  const { id } = workspace;
  const claimed = await ports.transactions.run(async (tx) =>
    ok(await tx.notifications.claim(id, ports.clock.after(CHECK_MS))),
  );
  if (!claimed.ok || !claimed.value) return;
  const call = callOf(workspace, signal);
  const items = await listWorkspaceAttention(ports, call, ITEMS_MAX);
  const notified = new Set(await ports.notifications.listItems(id));
  const fresh = items.filter((item) => !notified.has(attentionKeyOf(item)));
  const stillWaiting = items.filter((item) => notified.has(attentionKeyOf(item)));
  const store = (known: readonly AttentionItem[], nextCheckAt: Date, sent?: number) =>
    ports.transactions.run(async (tx) => {
      await tx.notifications.store(id, known.map(attentionKeyOf), nextCheckAt);
      if (sent !== undefined)
        await tx.audit.append(
          auditRow(call, 'sendNotification', id, { items: sent, addresses: workspace.notifyEmails.length }),
        );
      return ok(undefined);
    });
  if (fresh.length === 0) {
    // What no longer waits is forgotten: when it waits again, it is new.
    if (stillWaiting.length < notified.size) await store(stillWaiting, ports.clock.after(CHECK_MS));
    return;
  }
  const nextEmailAt = ports.clock.after(PAUSE_MS);
  await store(stillWaiting, nextEmailAt);
  const links = await createReconnectLinks(ports, call, fresh);
  const decisionUrls = await findDecisionUrls(ports, workspace, fresh);
  try {
    await mailer.send(
      workspace.notifyEmails,
      composeNotification({ workspace, fresh, stillWaiting: stillWaiting.length, decisionUrls, ...links }),
    );
  } catch (error) {
    onError(error);
    onSent('failed');
    await cancelLinks(ports, links.sessionIds);
    return;
  }
  onSent('sent');
  await store(items, nextEmailAt, fresh.length);
}

const callOf = ({ id }: Workspace, signal: AbortSignal): Call =>
  systemCall('notifications', 'worker', { workspaceId: id, requestId: '', signal });

/** One hosted page for each listed account; an account whose platform is not configured has none. */
async function createReconnectLinks(ports: NotificationPorts, call: Call, fresh: readonly AttentionItem[]) {
  const reconnectUrls = new Map<ConnectionId, string>();
  const sessionIds: ConnectSessionId[] = [];
  const linksExpireAt = ports.clock.after(LINK_MINUTES * 60_000);
  const listed = fresh.slice(0, NOTIFIED_ITEMS_MAX).filter(isReconnectable);
  for (const { connectionId } of listed) {
    if (connectionId === undefined) continue;
    const started = await ports.transactions.run(async (tx) => {
      const created = await startConnect({ ...ports, ...tx }, call, {
        connectionId,
        expiresInMinutes: LINK_MINUTES,
      });
      if (created.ok) await tx.audit.append(auditRow(call, 'startConnect', created.value.session.id, {}));
      return created;
    });
    if (!started.ok) continue;
    reconnectUrls.set(connectionId, started.value.url);
    sessionIds.push(started.value.session.id);
  }
  return { reconnectUrls, sessionIds, linksExpireAt };
}

/** The decision pages of the listed requests, where these addresses may receive them. */
async function findDecisionUrls(
  ports: Pick<NotificationPorts, 'apiKeys' | 'approvalLinks' | 'approvals' | 'clock'>,
  { id, notifyEmailsSetBy }: Workspace,
  fresh: readonly AttentionItem[],
): Promise<ReadonlyMap<ApprovalId, string>> {
  const ids = fresh.slice(0, NOTIFIED_ITEMS_MAX).flatMap(({ approvalId }) => approvalId ?? []);
  const urls = new Map<ApprovalId, string>();
  for (const approval of ids.length === 0 ? [] : await ports.approvals.listByIds(id, ids)) {
    const isReceived = await mayReceiveLink(ports, approval, notifyEmailsSetBy);
    if (isReceived && isOpen(approval, ports.clock.now()))
      urls.set(approval.id, ports.approvalLinks.urlOf(approval));
  }
  return urls;
}

/** The e-mail that contains them was not accepted. */
async function cancelLinks(
  ports: Pick<NotificationPorts, 'transactions'>,
  ids: readonly ConnectSessionId[],
): Promise<void> {
  await ports.transactions.run(async (tx) => {
    for (const id of ids)
      await tx.connectSessions.end(id, { status: 'cancelled', error: null, connectionIds: [] });
    return ok(undefined);
  });
}
