import { ok, type Publishing } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { codePoints } from '../kit/counting/code-points.js';
import { dialect, post, posts } from './wire.js';

export const publishing: Publishing = {
  count: codePoints,

  finalText: ({ text, link }) => (link === null || text.includes(link) ? text : `${text}\n${link}`),

  async publish(session, item) {
    const posted = await ask(
      session,
      dialect,
      {
        method: 'POST',
        path: '/v1/posts',
        json: { text: publishing.finalText(item), reference: item.reference },
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
};

const part = ({ id, url }: { id: string; url: string }) => ({ externalId: id, url, receipt: {} });
