import type { ApprovalId, ConnectionId } from '../ids.js';
import { describeTime } from '../posts/local-time.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { AttentionItem, AttentionKind } from './attention.js';

/** What an e-mail says, without its form. */
export interface Notification {
  readonly subject: string;
  readonly heading: string;
  readonly items: readonly NotificationItem[];
  /** How many more items there are than the listed ones, and from earlier e-mails; null when none. */
  readonly more: string | null;
  readonly footer: readonly string[];
}

interface NotificationItem {
  readonly title: string;
  /** The beginning of a post's text, an account's name, an amount: text of third parties. */
  readonly quote: string | null;
  readonly text: string;
  readonly link: { readonly label: string; readonly url: string } | null;
  readonly reference: string | null;
}

/** How many items an e-mail lists. */
export const NOTIFIED_ITEMS_MAX = 20;

const titles: Readonly<Record<AttentionKind, string>> = {
  installation_paused: 'Publishing and refunding are paused',
  database_promoted: 'The database failed over',
  profile_paused: 'A profile is paused',
  connection_paused: 'An account is paused',
  refund_needs_review: 'The outcome of a refund is unknown',
  post_needs_review: 'The outcome of a post is unknown',
  connection_needs_reauth: 'An account must be reconnected',
  connection_degraded: 'An account must be reconnected soon',
  media_failed: 'The media of a scheduled post cannot be used',
  post_failed: 'A post failed',
  post_missed: 'A post was missed',
  approval_pending: 'A request waits for your approval',
  webhook_disabled: 'A webhook was disabled',
  api_version_ends: 'A platform’s API version ends',
};

const advice: Readonly<Record<AttentionKind, string>> = {
  installation_paused: '',
  database_promoted:
    'If it replicates asynchronously, compare what was requested just before with your records.',
  profile_paused: 'Resume it with an API key, or with “switchboard resume”.',
  connection_paused: 'Resume it with an API key, or with “switchboard resume”.',
  refund_needs_review:
    'Compare it with the order in the store before anyone refunds it again. Then record the outcome with an API key.',
  post_needs_review:
    'Look at the account before anyone publishes it again. Then record the outcome with an API key.',
  connection_needs_reauth: '',
  connection_degraded: '',
  media_failed: 'Replace the media, or cancel the post.',
  post_failed: 'Correct that and retry the post; otherwise no action is needed.',
  post_missed: 'Retry the post to publish it now; otherwise no action is needed.',
  approval_pending: 'Approve or reject it with an API key, or with “switchboard approvals”.',
  webhook_disabled: 'Repair its endpoint, then enable the webhook and send the missed events again.',
  api_version_ends: '',
};

interface NotificationFacts {
  readonly workspace: Workspace;
  /** Items of which the addresses were not notified yet, most urgent first. */
  readonly fresh: readonly AttentionItem[];
  /** How many items of earlier e-mails still wait. */
  readonly stillWaiting: number;
  /** Links with which the owner reconnects an account, valid until `linksExpireAt`. */
  readonly reconnectUrls: ReadonlyMap<ConnectionId, string>;
  readonly linksExpireAt: Date;
  /** The pages on which a person decides about a request. */
  readonly decisionUrls: ReadonlyMap<ApprovalId, string>;
}

/** Composes the e-mail about new items. */
export function composeNotification({
  workspace,
  fresh,
  stillWaiting,
  reconnectUrls,
  linksExpireAt,
  decisionUrls,
}: NotificationFacts): Notification {
  const name = workspace.displayName ?? workspace.name;
  const [first] = fresh;
  const heading =
    first && fresh.length === 1 ? titles[first.kind] : `${fresh.length} items wait for a person`;
  const linkOf = (item: AttentionItem) => {
    const decisionUrl = item.approvalId && decisionUrls.get(item.approvalId);
    if (decisionUrl !== undefined)
      return {
        label: 'Look at it and decide',
        url: decisionUrl,
        advice: 'The link decides once, without a key: forward it only to a person who may decide.',
      };
    const url = item.connectionId && isReconnectable(item) ? reconnectUrls.get(item.connectionId) : undefined;
    if (url === undefined) return null;
    const expiry = describeTime(linksExpireAt, workspace.defaultTimezone);
    return {
      label: 'Reconnect the account',
      url,
      advice: `The link works once, until ${expiry}: forward it to the owner of the account.`,
    };
  };
  const items = fresh.slice(0, NOTIFIED_ITEMS_MAX).map((item): NotificationItem => {
    const link = linkOf(item);
    return {
      title: titles[item.kind],
      quote: item.title,
      text: [item.summary, link?.advice ?? advice[item.kind]].filter((text) => text !== '').join(' '),
      link: link && { label: link.label, url: link.url },
      reference:
        item.approvalId ?? item.refundId ?? item.postId ?? item.connectionId ?? item.webhookId ?? null,
    };
  });
  const unlisted = fresh.length - items.length;
  const more = [
    ...(unlisted > 0 ? [`${unlisted} more that are new`] : []),
    ...(stillWaiting > 0 ? [`${stillWaiting} from earlier e-mails`] : []),
  ];
  return {
    subject: `${name}: ${heading}`,
    heading,
    items,
    more:
      more.length === 0 ? null : `Also waiting: ${more.join(' and ')}. GET /v1/attention lists all of them.`,
    footer: [
      `Switchboard sends this to the notify_emails of the workspace “${name}” (${workspace.id}), at most every 15 minutes.`,
      `To stop it, remove your address from the settings of the workspace: PATCH /v1/workspace, or “switchboard workspaces update”.`,
    ],
  };
}

export const isReconnectable = ({ kind }: AttentionItem): boolean =>
  kind === 'connection_needs_reauth' || kind === 'connection_degraded';
