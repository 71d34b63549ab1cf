import { ok, type Publishing } from '@switchboard/platform-kit';
import { discardIfRefused, openReceipt } from '@switchboard/platform-kit/part-receipt';
import { codePoints } from '@switchboard/platform-kit/counting/code-points';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { uploadMedia } from './media.js';
import { boards, post, posts, quota, requestJson } from './wire.js';

export const publishing: Publishing = {
  count: codePoints,

  finalText: appendLink,

  async publish(session, item, saveReceipt) {
    const receipt = openReceipt(item, saveReceipt);
    const files = await uploadMedia(session, item, receipt);
    if (!files.ok) return files;
    const posted = await requestJson(
      session,
      {
        method: 'POST',
        path: '/v1/posts',
        json: {
          kind: item.kind === 'comment' ? 'comment' : 'post',
          title: item.title,
          text: publishing.finalText(item),
          files: files.value.map((id, at) => ({ id, description: item.media[at]?.altText ?? null })),
          answers: item.replyTo?.parent.externalId ?? null,
          board: item.options['board'],
          reference: item.reference,
        },
        effect: 'write',
      },
      post,
    );
    return posted.ok ? ok(part(posted.value)) : discardIfRefused(receipt, posted);
  },

  async find(session, item) {
    const query = { reference: item.reference };
    const found = await requestJson(session, { path: '/v1/posts', query }, posts);
    if (!found.ok) return found;
    const [first] = found.value.posts;
    return ok(first ? part(first) : null);
  },

  async options(session) {
    const requested = await requestJson(session, '/v1/boards', boards);
    if (!requested.ok) return requested;
    const choices = requested.value.boards.map(({ id, name }) => ({ value: id, label: name }));
    return ok({ options: [{ name: 'board', label: 'Board', type: 'choice', required: false, choices }] });
  },

  async quotas(session) {
    const path = '/v1/quota';
    const requested = await requestJson(session, path, quota);
    if (!requested.ok) return requested;
    const { posts_today: used, posts_per_day: limit } = requested.value;
    return ok([{ name: 'posts', used, limit, resetsAt: null, usedBy: ['post', 'thread'] }]);
  },
};

const part = ({ id, url }: { id: string; url: string }) => ({ externalId: id, url, receipt: {} });
