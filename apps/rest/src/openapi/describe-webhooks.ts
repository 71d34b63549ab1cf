import { reasonCodes } from '@switchboard/domain';
import { eventShapes, webhookMessageShapes } from '@switchboard/operations';
import type { z } from 'zod';
import type { ComponentWriter } from './component-writer.js';

const meanings = new Map(
  reasonCodes.flatMap(({ place, code, meaning }) => (place === 'event' ? [[code, meaning] as const] : [])),
);

/** The messages that an endpoint receives, by their type. */
export function describeWebhooks(writer: ComponentWriter): Record<string, object> {
  const events = eventShapes.flatMap(({ types, shape }) =>
    types.map((type) => [type, message(type, meanings.get(type) ?? type, shape, true, writer)] as const),
  );
  const { 'webhook.test': test, 'webhook.challenge': challenge } = webhookMessageShapes;
  return Object.fromEntries([
    ...events,
    ['webhook.test', message('webhook.test', 'A test was requested', test, true, writer)],
    ['webhook.challenge', message('webhook.challenge', 'An endpoint is verified', challenge, false, writer)],
  ]);
}

const message = (
  type: string,
  meaning: string,
  shape: z.ZodType,
  isSigned: boolean,
  writer: ComponentWriter,
) => ({
  post: {
    operationId: `on${type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: `${meaning}.`,
    tags: ['webhooks'],
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: writer.schemaOf(shape, 'output') } },
    },
    responses: isSigned
      ? { '2XX': { $ref: '#/components/responses/received' } }
      : { 200: { description: 'The challenge, as `{"challenge": "…"}` or as text.' } },
  },
});
