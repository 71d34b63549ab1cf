import { getRefund } from '@switchboard/domain/refunds';
import { z } from 'zod';
import { redactPlatformQuotes } from '../pipeline/redact-platform-quotes.js';
import { defineOperation } from '../define.js';
import {
  exampleRefund,
  presentRefund,
  refundId,
  refundSentence,
  refundSettling,
  refundShape,
} from './refund-shape.js';

export default defineOperation({
  name: 'getRefund',
  summary: 'Read one refund.',
  guidance: 'With a wait, returns when the refund has settled, or when a person has decided.',
  scope: 'orders:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'admin',
  http: { method: 'get', path: '/ecommerce/refunds/:refund_id', status: 200 },
  input: z.strictObject({ refund_id: refundId }),
  output: refundShape,
  failures: ['refund.not_found'],
  example: { input: { refund_id: exampleRefund.id }, output: exampleRefund },
  sentence: refundSentence,
  settling: refundSettling,
  redact: redactPlatformQuotes,
  useCase: getRefund,
  present: presentRefund,
});
