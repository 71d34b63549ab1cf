import { listAttention } from '@switchboard/domain/attention';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { cursor, limit, pageOf } from '../shapes.js';
import { attentionItemShape, exampleAttentionItem, presentAttentionItem } from './attention-item-shape.js';

export default defineOperation({
  name: 'listAttention',
  summary: 'List what requires a person’s action, most urgent first.',
  guidance:
    'What is paused, unknown outcomes of refunds and posts, requests for approval, accounts to reconnect with the posts they block, disabled webhooks, failed media of scheduled posts, failed posts, missed posts (ask the person before you send one), ending API versions. next is a ready call.',
  scope: 'any',
  effect: 'read',
  boundary: 'read',
  toolset: 'every',
  http: { method: 'get', path: '/attention', status: 200 },
  input: z.strictObject({ limit, cursor }),
  output: pageOf(attentionItemShape),
  failures: ['request.invalid_cursor'],
  example: {
    input: {},
    output: {
      data: [exampleAttentionItem],
      next_cursor: null,
    },
  },
  sentence: ({ data, next_cursor }) => {
    const [first] = data;
    if (!first) return 'Nothing requires a person’s action.';
    const count = data.length === 1 ? '1 item requires' : `${data.length} items require`;
    return `${count} a person’s action${next_cursor === null ? '' : ', and more follow with next_cursor'}. The most urgent: ${first.message}`;
  },
  useCase: listAttention,
  present: ({ items, nextCursor }) => ({ data: items.map(presentAttentionItem), next_cursor: nextCursor }),
});
