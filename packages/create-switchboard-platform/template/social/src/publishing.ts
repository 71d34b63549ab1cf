import { ok, type Connecting, type Publishing } from '@switchboard/platform-kit';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { createPlatformClient } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';
import { manifest } from './manifest.js';

const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const account = z.object({ id: z.string().min(1), handle: z.string() });
const post = z.object({ id: z.string().min(1), url: z.string() });
const posts = z.object({ posts: z.array(post) });

const { requestJson } = createPlatformClient({
  name: manifest.name,
  parseError: (response) => refusal.safeParse(response.json).data?.error ?? null,
  classify: () => 'platform.refused',
});

export const connecting: Connecting = {
  async identify(session) {
    const me = await requestJson(session, '/v1/me', account);
    if (!me.ok) return me;
    const { id, handle } = me.value;
    return ok([{ id, username: handle, name: null, avatarUrl: null, url: null }]);
  },
};

const part = ({ id, url }: z.infer<typeof post>) => ({ externalId: id, url, receipt: {} });

export const publishing: Publishing = {
  count: codePoints,
  finalText: appendLink,

  async publish(session, item) {
    const json = { text: appendLink(item), reference: item.reference };
    const posted = await requestJson(
      session,
      { method: 'POST', path: '/v1/posts', json, effect: 'write' },
      post,
    );
    return posted.ok ? ok(part(posted.value)) : posted;
  },

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
    const removed = await requestJson(
      session,
      { method: 'DELETE', path, effect: 'idempotent' },
      z.unknown(),
      (words) => (words.code === 'not_found' ? ok(null) : undefined),
    );
    return removed.ok ? ok() : removed;
  },
};
