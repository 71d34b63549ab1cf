import type { Tools } from '../ports/index.js';
import { toMediaUse } from './resolve-media.js';
import type { PlannedTarget } from './plan-post.js';
import type { Post } from './post.js';
import type { Delivery } from '../deliveries/delivery.js';
import type { ResolvedContent } from './resolve-contents.js';

const unpublished = { status: 'pending', externalId: null, url: null, receipt: {} } as const;

/** One delivery per target. An existing delivery of a connection keeps its id and its number of attempts. */
export const composeDeliveries = (
  ports: Pick<Tools, 'ids' | 'tokens'>,
  { id: postId, workspaceId }: Pick<Post, 'id' | 'workspaceId'>,
  targets: readonly PlannedTarget[],
  earlier: readonly Delivery[],
): readonly Delivery[] =>
  targets.map(({ connection, contents, options, when }) => {
    const before = earlier.find(({ connectionId }) => connectionId === connection.id);
    const { id, username, name } = connection.account;
    return {
      id: before?.id ?? ports.ids.next('dlv'),
      postId,
      workspaceId,
      connectionId: connection.id,
      platform: connection.platform,
      account: { id, username, name },
      status: 'pending',
      options,
      contentDigest: contentDigest(ports, contents),
      scheduledAt: when.at,
      notAfter: when.notAfter,
      attempts: before?.attempts ?? 0,
      epoch: before?.epoch ?? 0,
      readBacks: 0,
      parts: contents.map((content, index) => ({
        index,
        ...content,
        media: content.media.map(toMediaUse),
        ...unpublished,
      })),
      externalId: null,
      url: null,
      publishedAt: null,
      error: null,
      nextAttemptAt: null,
      resolveUrlAt: null,
      restoredAt: before?.restoredAt ?? null,
      edit: null,
    };
  });

/**
 * The identity of a post for the duplicate guard: texts normalized for case, form and spacing, link and
 * media.
 */
export const contentDigest = (
  { tokens }: Pick<Tools, 'tokens'>,
  contents: readonly ResolvedContent[],
): string => {
  const [first, ...rest] = contents.map(({ text, link, media }) => [
    text.normalize('NFC').replace(/\s+/gu, ' ').trim(),
    link ?? '',
    ...media.map(({ mediaId, url, file }) => file?.sha256 ?? url ?? mediaId),
  ]);
  return tokens.digestHex(JSON.stringify(rest.length > 0 ? [first, ...rest] : first));
};
