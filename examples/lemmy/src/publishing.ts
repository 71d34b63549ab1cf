import { ok, refuse, type Publishing } from '@switchboard/platform-kit';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { z } from 'zod';
import { id, oneComment, onePost, readJson, requestJson, whenMissing } from './client.js';
import { commentPart, findPart, idOf, isComment, isSame, postPart, readShown } from './find-part.js';
import { options, optionsOf } from './manifest.js';

const COMMUNITIES_MAX = 50;
const community = z.object({ id, name: z.string(), title: z.string(), actor_id: z.url() });
const communities = z.object({ communities: z.array(z.object({ community })) });

const isGone = refuse('platform.refused', 'Lemmy does not show it any more.');
/** It may have been deleted since it was looked at. */
const outcomeOf = (edited: { readonly deleted: boolean; readonly removed: boolean }) =>
  edited.deleted || edited.removed ? isGone : ok();

export const publishing: Publishing = {
  count: codePoints,
  // The link of a post has a field of its own; that of a comment is in its text.
  finalText: (draft) => (draft.kind === 'post' ? draft.text : appendLink(draft)),

  async publish(session, item) {
    if (item.replyTo) {
      const json = { content: appendLink(item), post_id: idOf(item.replyTo.root) };
      const request = { method: 'POST', path: '/api/v3/comment', json, effect: 'write' } as const;
      const posted = await requestJson(session, request, oneComment);
      return posted.ok ? ok(commentPart(posted.value.comment_view)) : posted;
    }
    const { community: communityId = '', nsfw } = optionsOf(item);
    const json = {
      name: item.title ?? '',
      community_id: Number(communityId),
      ...(item.text !== '' && { body: item.text }),
      ...(item.link !== null && { url: item.link }),
      ...(nsfw !== undefined && { nsfw }),
    };
    const request = { method: 'POST', path: '/api/v3/post', json, effect: 'write' } as const;
    const posted = await requestJson(session, request, onePost);
    return posted.ok ? ok(postPart(posted.value.post_view)) : posted;
  },

  find: findPart,

  async exists(session, part) {
    const shown = await readShown(session, part);
    return shown.ok ? ok(shown.value !== null) : shown;
  },

  /** A server also changes what was deleted, which stays deleted. An empty text or link removes it. */
  async edit(session, part, item) {
    const shown = await readShown(session, part);
    if (!shown.ok) return shown;
    if (shown.value === null) return isGone;
    const put = { method: 'PUT', effect: 'write' } as const;
    if (isComment(part)) {
      const json = { comment_id: idOf(part), content: appendLink(item) };
      const edited = await requestJson(session, { ...put, path: '/api/v3/comment', json }, oneComment);
      return edited.ok ? outcomeOf(edited.value.comment_view.comment) : edited;
    }
    const json = { post_id: idOf(part), name: item.title ?? '', body: item.text, url: item.link ?? '' };
    const edited = await requestJson(session, { ...put, path: '/api/v3/post', json }, onePost);
    return edited.ok ? outcomeOf(edited.value.post_view.post) : edited;
  },

  async isEdited(session, part, item) {
    const shown = await readShown(session, part);
    return shown.ok ? ok(shown.value !== null && isSame(shown.value, item)) : shown;
  },

  async remove(session, part) {
    const kind = isComment(part) ? 'comment' : 'post';
    const json = { [`${kind}_id`]: idOf(part), deleted: true };
    const request = { method: 'POST', path: `/api/v3/${kind}/delete`, json, effect: 'idempotent' } as const;
    const removed = await requestJson(session, request, z.unknown(), whenMissing);
    return removed.ok ? ok() : removed;
  },

  /** The communities that the account has subscribed to; others can be named by their id. */
  async options(session) {
    const query = { type_: 'Subscribed', limit: COMMUNITIES_MAX };
    const listed = await readJson(session, '/api/v3/community/list', query, communities);
    if (!listed.ok) return listed;
    const choices = listed.value.communities.map(({ community: one }) => ({
      value: String(one.id),
      label: `!${one.name}@${new URL(one.actor_id).host}: ${one.title}`,
    }));
    return ok({ options: [{ ...options[0], choices, more: true }] });
  },
};
