import { ok, refuse } from '@switchboard/domain';
import type { Publishing } from '@switchboard/domain/ports';
import { findComment, createComment } from '../kit/graph-comments.js';
import { publishContainer } from '../kit/graph-containers.js';
import type { GraphError } from '../kit/graph.js';
import { removeObject } from '../kit/graph-objects.js';
import { graphPart, fetchPublishedPart } from '../kit/graph-part.js';
import { requestJson } from './client.js';
import { commentApiOf } from './commenting.js';
import { isPageLogin } from './connecting.js';
import { findMedia } from './find-media.js';
import { manifest } from './manifest.js';
import { containerPlanOf, containerApiOf } from './media.js';
import { finalText, rules } from './rules.js';
import { usage } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    if (item.replyTo) {
      const put = await createComment(session, commentApiOf(session), finalText(item), item.replyTo);
      return put.ok ? ok(graphPart(put.value, null)) : put;
    }
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
    if (item.replyTo) {
      const found = await findComment(session, commentApiOf(session), finalText(item), item, item.replyTo);
      return found.ok ? ok(found.value === null ? null : graphPart(found.value, null)) : found;
    }
    const found = await findMedia(session, item);
    return found.ok ? ok(found.value && graphPart(found.value.id, found.value.permalink)) : found;
  },

  /** Documented for the Facebook login only. A comment is removed with its post. */
  async remove(session, { externalId }) {
    return isPageLogin(session)
      ? removeObject(session, manifest.name, externalId, explainUnsupportedKind)
      : removalUnsupported;
  },

  async quotas(session) {
    const path = `/${encodeURIComponent(session.account.id)}/content_publishing_limit`;
    const query = { fields: 'quota_usage,config' };
    const result = await requestJson(session, { method: 'GET', path, query, effect: 'read' }, usage);
    if (!result.ok) return result;
    return ok(
      result.value.data.slice(0, 1).map(({ quota_usage: used, config }) => ({
        name: 'posts',
        used,
        limit: config.quota_total,
        resetsAt: null,
        usedBy: ['post'] as const,
      })),
    );
  },
};

const removalUnsupported = refuse(
  'platform.permission_missing',
  'This connect method cannot delete posts. Delete it in the Instagram app, or connect the account through its Facebook Page to delete posts from here.',
);

const UNSUPPORTED_KIND = 2_207_073;
/** An advertisement, for example. Meta returns a server error for it. */
const explainUnsupportedKind = ({ subcode }: GraphError) =>
  subcode === UNSUPPORTED_KIND
    ? refuse(
        'platform.refused',
        'Instagram does not support deleting this kind of post. Delete it in the app.',
      )
    : undefined;
