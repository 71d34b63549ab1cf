import { recheckRefund } from '@switchboard/domain/refunds';
import { z } from 'zod';
import { redactPlatformQuotes } from '../pipeline/redact-platform-quotes.js';
import { defineOperation } from '../define.js';
import { exampleRefund, presentRefund, refundId, refundSentence, refundShape } from './refund-shape.js';

export default defineOperation({
  name: 'recheckRefund',
  summary: 'Look up the unknown outcome of a refund at the store.',
  guidance: 'Read-only at the store: the refund is never sent again.',
  scope: 'refunds:write',
  effect: 'update',
  boundary: 'staged',
  toolset: 'admin',
  http: { method: 'post', path: '/ecommerce/refunds/:refund_id/recheck', status: 200 },
  input: z.strictObject({ refund_id: refundId }),
  output: refundShape,
  failures: ['refund.not_found'],
  example: { input: { refund_id: exampleRefund.id }, output: exampleRefund },
  sentence: refundSentence,
  redact: redactPlatformQuotes,
  useCase: recheckRefund,
  present: presentRefund,
});
