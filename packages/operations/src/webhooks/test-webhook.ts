import { testWebhook } from '@switchboard/domain/webhooks';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { toWireFormat } from '../wire-format.js';
import { exampleAttempt, webhookAttemptShape, webhookFields } from './webhook-shape.js';

export default defineOperation({
  name: 'testWebhook',
  summary: 'Send a signed test message to a webhook now.',
  guidance:
    'Its type is webhook.test. It is also sent while the webhook is disabled, is not retried, and does not count as a failure.',
  scope: 'webhooks:write',
  effect: 'update',
  boundary: 'staged',
  http: { method: 'post', path: '/webhooks/:id/test', status: 200 },
  input: z.strictObject({ id: webhookFields.id }),
  output: webhookAttemptShape.extend({ delivered: z.boolean() }),
  failures: ['webhook.not_found'],
  example: {
    input: { id: 'whk_01kah3v5w8e2m6r9t0x4y7z1ab' },
    output: { ...exampleAttempt, delivered: true },
  },
  sentence: ({ delivered, status }) =>
    delivered
      ? 'The endpoint accepted the test.'
      : `The endpoint did not accept the test${status === null ? '' : ` (status ${status})`}.`,
  object: ({ webhookId }) => webhookId,
  useCase: testWebhook,
  present: ({ attempt }) => ({ ...toWireFormat(attempt), delivered: attempt.error === null }),
});
