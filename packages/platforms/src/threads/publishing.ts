import { ok, type Publishing } from '@switchboard/domain';
import { publishContainer } from '../kit/graph-containers.js';
import { removeObject } from '../kit/graph-objects.js';
import { graphPart, newPart } from '../kit/graph-part.js';
import { findPost } from './find-post.js';
import { manifest } from './manifest.js';
import { planOf, wayOf } from './media.js';
import { rules } from './rules.js';
import { ask, usage } from './wire.js';

const quotaFields = 'quota_usage,config,reply_quota_usage,reply_config';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, remember) {
    const published = await publishContainer(session, wayOf(session), planOf(item), item, remember);
    if (!published.ok) return published;
    return ok(await newPart(session, manifest.name, published.value));
  },

  async find(session, item) {
    const found = await findPost(session, item);
    return found.ok ? ok(found.value && graphPart(found.value.id, found.value.permalink)) : found;
  },

  remove: (session, { externalId }) => removeObject(session, manifest.name, externalId),

  async quotas(session) {
    const path = `/${encodeURIComponent(session.account.id)}/threads_publishing_limit`;
    const request = { method: 'GET', path, query: { fields: quotaFields }, effect: 'read' } as const;
    const told = await ask(session, request, usage);
    if (!told.ok) return told;
    const [row] = told.value.data;
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
