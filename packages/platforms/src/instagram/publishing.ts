import { ok, type PublishedPart, type Publishing, type Session } from '@switchboard/domain';
import { findComment, putComment } from '../kit/graph-comments.js';
import { publishContainer } from '../kit/graph-containers.js';
import { ask } from './ask.js';
import { commentsOf } from './commenting.js';
import { findMedia } from './find-media.js';
import { planOf, wayOf } from './media.js';
import { finalText, rules } from './rules.js';
import { permalink, usage } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, remember) {
    if (item.answers) {
      const put = await putComment(session, commentsOf(session), finalText(item), item.answers);
      return put.ok ? ok(part(put.value, null)) : put;
    }
    const published = await publishContainer(session, wayOf(session), planOf(item), item, remember);
    if (!published.ok) return published;
    return ok(part(published.value, await permalinkOf(session, published.value)));
  },

  async find(session, item) {
    if (item.answers) {
      const found = await findComment(session, commentsOf(session), finalText(item), item, item.answers);
      return found.ok ? ok(found.value === null ? null : part(found.value, null)) : found;
    }
    const found = await findMedia(session, item);
    return found.ok ? ok(found.value && part(found.value.id, found.value.permalink)) : found;
  },

  async quotas(session) {
    const path = `/${session.account.id}/content_publishing_limit`;
    const query = { fields: 'quota_usage,config' };
    const told = await ask(session, { method: 'GET', path, query, effect: 'read' }, usage);
    if (!told.ok) return told;
    return ok(
      told.value.data.slice(0, 1).map(({ quota_usage: used, config }) => ({
        ...{ name: 'posts', used, limit: config.quota_total, resetsAt: null, usedBy: ['post'] as const },
      })),
    );
  },
};

/** The post is out: whoever is not told where lives without. */
async function permalinkOf(session: Session, id: string): Promise<string | null | undefined> {
  const request = { method: 'GET', path: `/${id}`, query: { fields: 'permalink' }, effect: 'read' } as const;
  const told = await ask(session, request, permalink);
  return told.ok ? told.value.permalink : null;
}

const part = (externalId: string, url: string | null | undefined): PublishedPart => ({
  externalId,
  url: url ?? null,
  receipt: {},
});
