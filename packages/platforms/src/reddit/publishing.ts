import { ok, refuse } from '@switchboard/domain';
import type { Publishing } from '@switchboard/domain/ports';
import { requestJson } from '../kit/platform-client.js';
import { submitForm } from './client.js';
import { commentPart, findComment, findPost } from './find-post.js';
import { options } from './options.js';
import { whereShown } from './post-state.js';
import { bodyOf, rules } from './rules.js';
import { mayBeSubmitted, submit } from './submit.js';
import { anything, createdComment, errorMapping } from './wire.js';

const LOOK_SECONDS = 30;

export const publishing: Publishing = {
  ...rules,
  options,

  async publish(session, item, saveReceipt) {
    if (item.kind === 'post') return submit(session, item, saveReceipt);
    const form = {
      api_type: 'json',
      thing_id: item.replyTo?.parent.externalId ?? '',
      text: bodyOf(item),
    };
    const posted = await submitForm(session, { path: '/api/comment', form }, createdComment);
    if (!posted.ok) return posted;
    const [{ data: listed }] = posted.value.things;
    return whereShown(listed, commentPart(listed));
  },

  async find(session, item) {
    if (item.kind !== 'post') return findComment(session, item);
    const found = await findPost(session, item);
    // Reddit may process an image or a video for minutes, so that its absence proves nothing.
    if (!found.ok || found.value || !mayBeSubmitted(item)) return found;
    return refuse('platform.unavailable', 'Reddit may still be processing the media.', {
      retryAfterSeconds: LOOK_SECONDS,
    });
  },

  /** Reddit reports nothing else about a post that is gone. */
  async remove(session, { externalId }) {
    const removed = await requestJson(
      session,
      errorMapping,
      { method: 'POST', path: '/api/del', form: { id: externalId }, effect: 'idempotent' },
      anything,
    );
    return removed.ok ? ok() : removed;
  },
};
