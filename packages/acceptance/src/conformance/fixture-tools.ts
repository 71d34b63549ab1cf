import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolResult,
  PrimitiveSchemaDefinition,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { text, type Arguments } from './fixture-content.js';

type HandlerExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;
export type FixtureTool = (
  given: Arguments,
  extra: HandlerExtra,
  server: Server,
) => Promise<CallToolResult> | CallToolResult;

const PAUSE_MS = 50;
const NO_ANSWER_MS = 2000;

const elicitWith =
  (properties: Record<string, PrimitiveSchemaDefinition>): FixtureTool =>
  async ({ message }, { requestId }, server) => {
    const requestedSchema = { type: 'object' as const, properties };
    const result = await server.elicitInput(
      { message: typeof message === 'string' ? message : 'Please fill this in', requestedSchema },
      { relatedRequestId: requestId, timeout: NO_ANSWER_MS },
    );
    return { content: [text(`action=${result.action}, content=${JSON.stringify(result.content)}`)] };
  };

const titled = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
];
const plainOptions = ['option1', 'option2', 'option3'];

/** The tools that send more than their result, by name. */
export const sendingTools: Readonly<Record<string, FixtureTool>> = {
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
};
