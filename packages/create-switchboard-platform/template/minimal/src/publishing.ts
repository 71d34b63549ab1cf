import { ok, type Connecting, type Publishing } from '@switchboard/platform-kit';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { createPlatformClient } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';
import { manifest } from './manifest.js';

const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const account = z.object({ id: z.string().min(1), handle: z.string() });
const post = z.object({ id: z.string().min(1), url: z.string() });

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

export const publishing: Publishing = {
  count: codePoints,
  finalText: appendLink,
  async publish(session, item) {
    const json = { text: appendLink(item) };
    const posted = await requestJson(
      session,
      { method: 'POST', path: '/v1/posts', json, effect: 'write' },
      post,
    );
    return posted.ok ? ok({ externalId: posted.value.id, url: posted.value.url, receipt: {} }) : posted;
  },
};
