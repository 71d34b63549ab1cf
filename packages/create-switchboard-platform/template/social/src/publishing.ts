import { ok, type Publishing } from '@switchboard/platform-kit';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { z } from 'zod';
import { requestJson } from './client.js';

const post = z.object({ id: z.string().min(1), url: z.string() });
// <full>
const posts = z.object({ posts: z.array(post) });
// </full>
const part = ({ id, url }: z.infer<typeof post>) => ({ externalId: id, url, receipt: {} });

export const publishing: Publishing = {
  count: codePoints,
  finalText: appendLink,

  async publish(session, item) {
    const json = { text: appendLink(item), reference: item.reference };
    const request = { method: 'POST', path: '/v1/posts', json, effect: 'write' } as const;
    const posted = await requestJson(session, request, post);
    return posted.ok ? ok(part(posted.value)) : posted;
  },
  // <full>

  /** Null only where the platform certainly has no post with the reference. */
  async find(session, item) {
    const query = { reference: item.reference };
    const found = await requestJson(session, { path: '/v1/posts', query }, posts);
    if (!found.ok) return found;
    const [first] = found.value.posts;
    return ok(first ? part(first) : null);
  },

  /** Also succeeds for a post that is already gone. */
  async remove(session, { externalId }) {
    const path = `/v1/posts/${encodeURIComponent(externalId)}`;
    const request = { method: 'DELETE', path, effect: 'idempotent' } as const;
    const removed = await requestJson(session, request, z.unknown(), ({ code }) =>
      code === 'not_found' ? ok(null) : undefined,
    );
    return removed.ok ? ok() : removed;
  },
  // </full>
};
