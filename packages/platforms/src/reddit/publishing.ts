import { ok, refuse, type Publishing } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { submitTo } from './ask.js';
import { commentPart, findComment, findPost } from './find-post.js';
import { options } from './options.js';
import { whereShown } from './post-state.js';
import { bodyOf, rules } from './rules.js';
import { isSent, submit } from './submit.js';
import { anything, createdComment, dialect } from './wire.js';

const LOOK_SECONDS = 30;

export const publishing: Publishing = {
  ...rules,
  options,

  async publish(session, item, remember) {
    if (item.kind === 'post') return submit(session, item, remember);
    const form = {
      api_type: 'json',
      thing_id: item.answers?.parent.externalId ?? '',
      text: bodyOf(item),
    };
    const posted = await submitTo(session, { path: '/api/comment', form }, createdComment);
    if (!posted.ok) return posted;
    const [{ data: listed }] = posted.value.things;
    return whereShown(listed, commentPart(listed));
  },

  async find(session, item) {
    if (item.kind !== 'post') return findComment(session, item);
    const found = await findPost(session, item);
    // A picture or a film may take Reddit minutes, so that not to see it proves nothing.
    if (!found.ok || found.value || !isSent(item)) return found;
    return refuse('platform.unavailable', 'Reddit may still be at work on the media of this post.', {
      retryAfterSeconds: LOOK_SECONDS,
    });
  },

  /** Of what is gone Reddit says nothing else. */
  async remove(session, { externalId }) {
    const removed = await ask(
      session,
      dialect,
      { method: 'POST', path: '/api/del', form: { id: externalId }, effect: 'idempotent' },
      anything,
    );
    return removed.ok ? ok() : removed;
  },
};
