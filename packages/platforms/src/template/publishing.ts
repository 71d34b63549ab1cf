import { ok, type Publishing } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { codePoints } from '../kit/counting/code-points.js';
import { linkBelow } from '../kit/link-below.js';
import { upload } from './media.js';
import { boards, dialect, post, posts, quota } from './wire.js';

export const publishing: Publishing = {
  count: codePoints,

  finalText: linkBelow,

  async publish(session, item, remember) {
    const files = await upload(session, item, remember);
    if (!files.ok) return files;
    const posted = await ask(
      session,
      dialect,
      {
        method: 'POST',
        path: '/v1/posts',
        json: {
          kind: item.kind === 'comment' ? 'comment' : 'post',
          title: item.title,
          text: publishing.finalText(item),
          files: files.value.map((id, at) => ({ id, description: item.media[at]?.altText ?? null })),
          answers: item.answers?.parent.externalId ?? null,
          board: item.options['board'],
          reference: item.reference,
        },
        effect: 'write',
      },
      post,
    );
    return posted.ok ? ok(part(posted.value)) : posted;
  },

  async find(session, item) {
    const query = { reference: item.reference };
    const found = await ask(
      session,
      dialect,
      { method: 'GET', path: '/v1/posts', query, effect: 'read' },
      posts,
    );
    if (!found.ok) return found;
    const [first] = found.value.posts;
    return ok(first ? part(first) : null);
  },

  async options(session) {
    const asked = await ask(session, dialect, { method: 'GET', path: '/v1/boards', effect: 'read' }, boards);
    if (!asked.ok) return asked;
    const choices = asked.value.boards.map(({ id, name }) => ({ value: id, label: name }));
    return ok({ options: [{ name: 'board', label: 'Board', type: 'choice', required: false, choices }] });
  },

  async quotas(session) {
    const path = '/v1/quota';
    const asked = await ask(session, dialect, { method: 'GET', path, effect: 'read' }, quota);
    if (!asked.ok) return asked;
    const { posts_today: used, posts_per_day: limit } = asked.value;
    return ok([{ name: 'posts', used, limit, resetsAt: null, usedBy: ['post', 'thread'] }]);
  },
};

const part = ({ id, url }: { id: string; url: string }) => ({ externalId: id, url, receipt: {} });
