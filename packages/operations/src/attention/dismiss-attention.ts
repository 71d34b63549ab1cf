import { dismissAttention } from '@switchboard/domain/attention';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { attentionItemShape, exampleAttentionItem, presentAttentionItem } from './attention-item-shape.js';

export default defineOperation({
  name: 'dismissAttention',
  summary: 'Remove an item from the attention list.',
  guidance:
    'For everyone who sees the list; what the item is about does not change. When its cause recurs, it is listed again. Requires the write scope of that object: posts:write, connections:write, refunds:write or webhooks:write; profiles:write for profiles, workspace:admin for the installation.',
  scope: 'any',
  effect: 'update',
  boundary: 'atomic',
  http: { method: 'post', path: '/attention/:id/dismiss', status: 200 },
  input: z.strictObject({ id: id(exampleAttentionItem.id) }),
  output: attentionItemShape,
  failures: ['attention_item.not_found', 'key.scope_missing', 'key.policy_unsupported'],
  example: { input: { id: exampleAttentionItem.id }, output: exampleAttentionItem },
  sentence: () => 'Dismissed.',
  useCase: dismissAttention,
  present: presentAttentionItem,
});
