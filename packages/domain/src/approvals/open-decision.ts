import { canonicalJson } from '../canonical-json.js';
import { systemCall, type Call } from '../call.js';
import type { Connection } from '../connections/connection.js';
import type { Delivery } from '../deliveries/delivery.js';
import { parseId, type MediaId } from '../ids.js';
import type { Media } from '../media/media.js';
import type { Manifest, PublishingRules, ReadPorts } from '../ports/index.js';
import { checkContent } from '../posts/check-content.js';
import type { PartContent, Post } from '../posts/post.js';
import type { Profile } from '../profiles/profile.js';
import type { Refund } from '../refunds/refund.js';
import type { Workspace } from '../workspaces/workspace.js';
import type { Approval, RefundPreview } from './approval.js';
import { deliveryDigest, refundDigest } from './approval-digest.js';
import { isOpen } from './decision-link.js';

/** What a decision page shows. */
export interface Decision {
  readonly approval: Approval;
  readonly workspace: Workspace;
  readonly profile: Profile | null;
  /** The name of the key that requests it; null when it is not a key. */
  readonly requestedBy: string | null;
  /** What is decided about; null when the approval is not open, or when its content has changed since. */
  readonly subject: DecisionSubject | null;
  /** Identifies exactly the content that is shown: a decision names it. */
  readonly digest: string;
  /** When it was read, by the clock that decides. */
  readonly readAt: Date;
}

export type DecisionSubject = PostSubject | RefundSubject;

export interface PostSubject {
  readonly kind: 'post';
  readonly timezone: string;
  readonly deliveries: readonly DecisionDelivery[];
}

/** A delivery exactly as it is sent. */
export interface DecisionDelivery extends Pick<
  Delivery,
  'id' | 'connectionId' | 'account' | 'scheduledAt' | 'notAfter'
> {
  readonly platform: Pick<Manifest, 'id' | 'name'>;
  /** Whether its time has come: it is sent when it is approved. */
  readonly isDue: boolean;
  readonly options: readonly DecisionOption[];
  readonly parts: readonly DecisionPart[];
}

export interface DecisionOption {
  readonly label: string;
  readonly value: unknown;
}

export interface DecisionPart extends Pick<PartContent, 'kind' | 'title' | 'link'> {
  readonly text: string;
  /** As the platform counts it; null where it counts nothing. */
  readonly length: { readonly used: number; readonly max: number } | null;
  readonly media: readonly DecisionMedia[];
}

export interface DecisionMedia {
  readonly id: MediaId;
  /** Null when it was deleted. */
  readonly media: Media | null;
  readonly altText: string | null;
}

export interface RefundSubject {
  readonly kind: 'refund';
  readonly refund: Refund;
  readonly preview: RefundPreview;
  readonly platform: Pick<Manifest, 'id' | 'name'>;
  /** Null when the connection was deleted since. */
  readonly connection: Connection | null;
}

export type DecisionReadPorts = Pick<
  ReadPorts,
  | 'apiKeys'
  | 'approvalLinks'
  | 'approvals'
  | 'clock'
  | 'connections'
  | 'manifests'
  | 'media'
  | 'mediaLinks'
  | 'posts'
  | 'profiles'
  | 'refunds'
  | 'tokens'
  | 'workspaces'
>;

/** What the page of a link shows; null for a link that was not derived here. Changes nothing. */
export async function openDecision(ports: DecisionReadPorts, token: string): Promise<Decision | null> {
  const link = ports.approvalLinks.read(token);
  const approval = link && (await ports.approvals.find(link.workspaceId, link.id));
  const workspace = approval && (await ports.workspaces.find(approval.workspaceId));
  if (!approval || !workspace) return null;
  const { workspaceId, profileId, requestedBy } = approval;
  const readAt = ports.clock.now();
  const keyId = parseId('key', requestedBy);
  const [profile, key, content] = await Promise.all([
    profileId && ports.profiles.find(workspaceId, profileId),
    keyId && ports.apiKeys.find(workspaceId, keyId),
    isOpen(approval, readAt) ? findApprovedContent(ports, approval) : null,
  ]);
  return {
    approval,
    workspace,
    profile: profile ?? null,
    requestedBy: key ? key.name : null,
    subject: content && (await describeSubject(ports, approval, content)),
    digest: approvalDigest(ports.tokens, approval),
    readAt,
  };
}

export const approvalDigest = (
  tokens: Pick<ReadPorts['tokens'], 'digestHex'>,
  { digests }: Pick<Approval, 'digests'>,
): string => tokens.digestHex(canonicalJson(digests));

type ApprovedContent =
  | { readonly kind: 'post'; readonly post: Post; readonly deliveries: readonly Delivery[] }
  | { readonly kind: 'refund'; readonly refund: Refund };

/** What waits for an approval, if it still is exactly what was requested. */
export async function findApprovedContent(
  ports: Pick<ReadPorts, 'posts' | 'refunds'> & { readonly tokens: Pick<ReadPorts['tokens'], 'digestHex'> },
  approval: Approval,
): Promise<ApprovedContent | null> {
  const { workspaceId, postId, refundId, digests } = approval;
  const isSame = (found: Readonly<Record<string, string>>) => canonicalJson(found) === canonicalJson(digests);
  if (postId !== null) {
    const post = await ports.posts.find(workspaceId, postId);
    const deliveries = (post?.deliveries ?? []).filter(({ status }) => status === 'awaiting_approval');
    const found = Object.fromEntries(deliveries.map((one) => [one.id, deliveryDigest(ports.tokens, one)]));
    return post && isSame(found) ? { kind: 'post', post, deliveries } : null;
  }
  const refund = refundId && (await ports.refunds.find(workspaceId, refundId));
  const isWaiting = refund?.status === 'awaiting_approval';
  return isWaiting && isSame({ [refund.id]: refundDigest(ports.tokens, refund) })
    ? { kind: 'refund', refund }
    : null;
}

async function describeSubject(
  ports: DecisionReadPorts,
  { refundPreview }: Approval,
  content: ApprovedContent,
): Promise<DecisionSubject> {
  if (content.kind === 'refund') {
    const { refund } = content;
    if (!refundPreview) throw new Error('the approval of a refund has no preview');
    return {
      kind: 'refund',
      refund,
      preview: refundPreview,
      platform: platformOf(ports, refund.platform),
      connection: await ports.connections.find(refund.workspaceId, refund.connectionId),
    };
  }
  const { post, deliveries } = content;
  const used = deliveries.flatMap(({ parts }) => parts.flatMap(({ media }) => media));
  const ids = [...new Set(used.map(({ mediaId }) => mediaId))];
  const media = new Map((await ports.media.findMany(post.workspaceId, ids)).map((one) => [one.id, one]));
  return {
    kind: 'post',
    timezone: post.timezone,
    deliveries: await Promise.all(deliveries.map((delivery) => describeDelivery(ports, delivery, media))),
  };
}

const platformOf = ({ manifests }: Pick<ReadPorts, 'manifests'>, id: string) => ({
  id,
  name: manifests.find(id)?.name ?? id,
});

async function describeDelivery(
  ports: DecisionReadPorts,
  delivery: Delivery,
  media: ReadonlyMap<MediaId, Media>,
): Promise<DecisionDelivery> {
  const { id, connectionId, account, platform, options, scheduledAt, notAfter, parts } = delivery;
  const manifest = ports.manifests.find(platform);
  const rules = ports.manifests.findRules(platform);
  const connection = await ports.connections.find(delivery.workspaceId, connectionId);
  const describe = createPartDescriber(ports, { manifest, rules, connection, options }, media);
  return {
    id,
    connectionId,
    account,
    scheduledAt,
    notAfter,
    platform: platformOf(ports, platform),
    isDue: scheduledAt <= ports.clock.now(),
    options: Object.entries(options).map(([name, value]) => describeOption(manifest, name, value)),
    parts: parts.filter(({ status }) => status === 'pending').map(describe),
  };
}

function describeOption(manifest: Manifest | null, name: string, value: unknown): DecisionOption {
  const option = manifest?.options.find((one) => one.name === name);
  const choice = option?.choices?.find((one) => one.value === value);
  return { label: option?.label ?? name, value: choice?.label ?? value };
}

interface PartTarget {
  readonly manifest: Manifest | null;
  readonly rules: PublishingRules | null;
  readonly connection: Connection | null;
  readonly options: Delivery['options'];
}

const createPartDescriber =
  (
    { mediaLinks }: Pick<ReadPorts, 'mediaLinks'>,
    { manifest, rules, connection, options }: PartTarget,
    media: ReadonlyMap<MediaId, Media>,
  ) =>
  (part: PartContent): DecisionPart => {
    const { kind, title, link } = part;
    const shown = {
      kind,
      title,
      link,
      media: part.media.map(({ mediaId, altText }) => ({
        id: mediaId,
        media: media.get(mediaId) ?? null,
        altText,
      })),
    };
    if (!manifest || !rules || !connection) return { ...shown, text: part.text, length: null };
    const resolved = part.media.map((use) => ({
      ...use,
      file: media.get(use.mediaId)?.file ?? null,
    }));
    const { account } = connection;
    const target = { manifest, rules, account, options, isPublic: mediaLinks.isPublic() };
    const { finalText, text } = checkContent(target, { ...part, media: resolved }, (path) => path);
    return { ...shown, text: finalText, length: text && { used: text.used, max: text.max } };
  };

export const decisionPageCall = (
  { workspaceId }: Approval,
  { requestId, address, signal }: Pick<Call, 'requestId' | 'address' | 'signal'>,
): Call => systemCall('decision_page', 'hosted_page', { workspaceId, requestId, address, signal });
