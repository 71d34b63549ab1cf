import { resolveRefund } from '@switchboard/domain/refunds';
import { z } from 'zod';
import { redactPlatformQuotes } from '../pipeline/redact-platform-quotes.js';
import { defineOperation } from '../define.js';
import { platformFailures } from '../platform-failures.js';
import { exampleRefund, presentRefund, refundId, refundSentence, refundShape } from './refund-shape.js';

export default defineOperation({
  name: 'resolveRefund',
  summary: 'Record the outcome of a refund whose status is unknown, after checking the store.',
  guidance:
    'For a person who has checked the store. Before failed is recorded, Switchboard reads the store: if it shows the refund, the result is succeeded, and the audit log records the store’s response. The amount stays counted against the ceilings of the deciding key, its ancestors and its descendants. A pending refund can be resolved after 15 minutes.',
  scope: 'refunds:write',
  effect: 'update',
  boundary: 'staged',
  http: { method: 'post', path: '/ecommerce/refunds/:refund_id/resolve', status: 200 },
  input: z.strictObject({
    refund_id: refundId,
    outcome: z.enum(['succeeded', 'failed']),
    external_id: z.string().min(1).max(200).optional(),
    note: z.string().min(1).max(2000).optional(),
  }),
  output: refundShape,
  failures: [
    'refund.not_found',
    'refund.settled',
    'refund.in_progress',
    'refund.in_doubt',
    ...platformFailures,
  ],
  example: {
    input: { refund_id: exampleRefund.id, outcome: 'succeeded', note: 'Seen in the store.' },
    output: exampleRefund,
  },
  sentence: refundSentence,
  redact: redactPlatformQuotes,
  useCase: resolveRefund,
  present: presentRefund,
});
