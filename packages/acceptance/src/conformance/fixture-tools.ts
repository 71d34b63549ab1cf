import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  ContentBlock,
  PrimitiveSchemaDefinition,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';

export type Arguments = Readonly<Record<string, unknown>>;
type HandlerExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;
export type FixtureTool = (
  given: Arguments,
  extra: HandlerExtra,
  server: Server,
) => Promise<CallToolResult> | CallToolResult;

export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';
const PAUSE_MS = 50;
const NO_ANSWER_MS = 2000;

export const text = (words: string): ContentBlock => ({ type: 'text', text: words });
export const image: ContentBlock = { type: 'image', data: PIXEL, mimeType: 'image/png' };
export const resource = (uri: string, mimeType: string, words: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});
const respondWith =
  (...content: ContentBlock[]): FixtureTool =>
  () => ({ content });

const elicitWith =
  (properties: Record<string, PrimitiveSchemaDefinition>): FixtureTool =>
  async ({ message }, { requestId }, server) => {
    const requestedSchema = { type: 'object' as const, properties };
    const result = await server.elicitInput(
      { message: typeof message === 'string' ? message : 'Please fill this in', requestedSchema },
      { relatedRequestId: requestId },
    );
    return { content: [text(`action=${result.action}, content=${JSON.stringify(result.content)}`)] };
  };

const titled = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
];
const plainOptions = ['option1', 'option2', 'option3'];

/** By name, as described in the suite. */
export const tools: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: respondWith(text('This is a simple text response for testing.')),
  test_image_content: respondWith(image),
  test_audio_content: respondWith({ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }),
  test_embedded_resource: respondWith(
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  test_multiple_content_types: respondWith(
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  test_error_handling: () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  async test_tool_with_logging(_given, { sendNotification }) {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await sleep(PAUSE_MS);
    }
    return { content: [text('Logged three times.')] };
  },
  async test_tool_with_progress(_given, { _meta, sendNotification }) {
    const progressToken = _meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress, total: 100 };
        await sendNotification({ method: 'notifications/progress', params });
      }
      await sleep(PAUSE_MS);
    }
    return { content: [text('Done in three steps.')] };
  },
  async test_sampling({ prompt }, { requestId }, server) {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: String(prompt) } }];
    const result = await server.createMessage(
      { messages, maxTokens: 100 },
      { relatedRequestId: requestId, timeout: NO_ANSWER_MS },
    );
    return { content: [text(`LLM response: ${JSON.stringify(result.content)}`)] };
  },
  test_elicitation: elicitWith({
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  }),
  test_elicitation_sep1034_defaults: elicitWith({
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  test_elicitation_sep1330_enums: elicitWith({
    untitledSingle: { type: 'string', enum: plainOptions },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: { type: 'string', enum: plainOptions, enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: plainOptions } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  }),
  json_schema_2020_12_tool: respondWith(text('ok')),
};
