import { ok, refuse, type Draft, type Publishing } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { codePoints } from '../kit/counting/code-points.js';
import { LINK_MAX } from './manifest.js';
import { dialect, nothing, post, postList } from './wire.js';

export const publishing: Publishing = {
  count: codePoints,

  /** The link is a field of its own there and does not count. */
  finalText: (draft) => draft.text,

  check: (draft: Draft) =>
    draft.link !== null && draft.link.length > LINK_MAX
      ? [{ path: 'link', code: 'link.too_long', message: `The link may have ${LINK_MAX} characters.` }]
      : [],

  async publish(session, item) {
    const posted = await ask(
      session,
      dialect,
      {
        method: 'POST',
        path: '/social/api/posts',
        json: {
          text: item.text,
          ...(item.link === null ? {} : { link: item.link }),
          visibility: item.options['visibility'],
          client_ref: item.reference,
        },
        effect: 'write',
      },
      post,
    );
    return posted.ok ? ok(part(posted.value)) : posted;
  },

  async find(session, item) {
    const found = await ask(
      session,
      dialect,
      {
        method: 'GET',
        path: '/social/api/posts',
        query: { client_ref: item.reference, limit: 2 },
        effect: 'read',
      },
      postList,
    );
    if (!found.ok) return found;
    const [first, second] = found.value.data;
    if (second) {
      return refuse('platform.outcome_unknown', 'Several posts bear the reference of this one.');
    }
    return ok(first ? part(first) : null);
  },

  async remove(session, { externalId }) {
    if (externalId === null) return ok();
    return ask(
      session,
      dialect,
      { method: 'DELETE', path: `/social/api/posts/${encodeURIComponent(externalId)}`, effect: 'idempotent' },
      nothing,
      (words) => (words.code === 'not_found' ? ok() : undefined),
    );
  },
};

const part = ({ id, url }: { id: string; url: string }) => ({ externalId: id, url, receipt: {} });
