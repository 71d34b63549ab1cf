import { ok, refuse, type Publishing } from '@switchboard/domain';
import { findComment, putComment } from '../kit/graph-comments.js';
import { publishContainer } from '../kit/graph-containers.js';
import type { GraphError } from '../kit/graph.js';
import { removeObject } from '../kit/graph-objects.js';
import { graphPart, newPart } from '../kit/graph-part.js';
import { ask } from './ask.js';
import { commentsOf } from './commenting.js';
import { isOfPage } from './connecting.js';
import { findMedia } from './find-media.js';
import { manifest } from './manifest.js';
import { planOf, wayOf } from './media.js';
import { finalText, rules } from './rules.js';
import { usage } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, remember) {
    if (item.answers) {
      const put = await putComment(session, commentsOf(session), finalText(item), item.answers);
      return put.ok ? ok(graphPart(put.value, null)) : put;
    }
    const published = await publishContainer(session, wayOf(session), planOf(item), item, remember);
    if (!published.ok) return published;
    return ok(await newPart(session, manifest.name, published.value));
  },

  async find(session, item) {
    if (item.answers) {
      const found = await findComment(session, commentsOf(session), finalText(item), item, item.answers);
      return found.ok ? ok(found.value === null ? null : graphPart(found.value, null)) : found;
    }
    const found = await findMedia(session, item);
    return found.ok ? ok(found.value && graphPart(found.value.id, found.value.permalink)) : found;
  },

  /** Documented of those who log in with Facebook alone. A comment has gone before its post. */
  async remove(session, { externalId }) {
    return isOfPage(session) ? removeObject(session, manifest.name, externalId, isOfNoKind) : kept;
  },

  async quotas(session) {
    const path = `/${encodeURIComponent(session.account.id)}/content_publishing_limit`;
    const query = { fields: 'quota_usage,config' };
    const told = await ask(session, { method: 'GET', path, query, effect: 'read' }, usage);
    if (!told.ok) return told;
    return ok(
      told.value.data.slice(0, 1).map(({ quota_usage: used, config }) => ({
        name: 'posts',
        used,
        limit: config.quota_total,
        resetsAt: null,
        usedBy: ['post'] as const,
      })),
    );
  },
};

const kept = refuse(
  'platform.permission_missing',
  'With this login nothing can be removed at Instagram. Remove it in the app; or connect the account through its Facebook Page, and it can be removed from here.',
);

const UNFITTING_KIND = 2_207_073;
/** An advertisement, say. Meta calls it a fault of its own. */
const isOfNoKind = ({ subcode }: GraphError) =>
  subcode === UNFITTING_KIND
    ? refuse('platform.refused', 'Instagram removes nothing of this kind. Remove it in the app.')
    : undefined;
