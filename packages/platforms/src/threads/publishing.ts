import { ok } from '@switchboard/domain';
import type { Publishing } from '@switchboard/domain/ports';
import { publishContainer } from '../kit/graph-containers.js';
import { removeObject } from '../kit/graph-objects.js';
import { graphPart, fetchPublishedPart } from '../kit/graph-part.js';
import { findPost } from './find-post.js';
import { manifest } from './manifest.js';
import { containerPlanOf, containerApiOf } from './media.js';
import { rules } from './rules.js';
import { requestJson, usage } from './wire.js';

const quotaFields = 'quota_usage,config,reply_quota_usage,reply_config';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    const published = await publishContainer(
      session,
      containerApiOf(session),
      containerPlanOf(item),
      item,
      saveReceipt,
    );
    if (!published.ok) return published;
    return ok(await fetchPublishedPart(session, manifest.name, published.value));
  },

  async find(session, item) {
    const found = await findPost(session, item);
    return found.ok ? ok(found.value && graphPart(found.value.id, found.value.permalink)) : found;
  },

  remove: (session, { externalId }) => removeObject(session, manifest.name, externalId),

  async quotas(session) {
    const path = `/${encodeURIComponent(session.account.id)}/threads_publishing_limit`;
    const request = { method: 'GET', path, query: { fields: quotaFields }, effect: 'read' } as const;
    const result = await requestJson(session, request, usage);
    if (!result.ok) return result;
    const [row] = result.value.data;
    if (!row) return ok([]);
    const { quota_usage: used, config, reply_quota_usage: repliesUsed, reply_config: replies } = row;
    return ok([
      { name: 'posts', used, limit: config.quota_total, resetsAt: null, usedBy: ['post'] },
      ...(replies
        ? [
            {
              name: 'replies',
              used: repliesUsed ?? 0,
              limit: replies.quota_total,
              resetsAt: null,
              usedBy: ['thread', 'comment'] as const,
            },
          ]
        : []),
    ]);
  },
};
