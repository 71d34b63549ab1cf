import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import {
  completeFixture,
  constantTools,
  describeFixtureTool,
  fixtureTemplates,
  listFixturePrompts,
  listFixtureResources,
  readFixtureResource,
  renderFixturePrompt,
} from './fixture-content.js';
import { sendingTools } from './fixture-tools.js';

/**
 * The fixtures that the official suite requires in the revisions up to 2025-11-25; they use more of the
 * protocol than Switchboard does. One server per request, as in Switchboard.
 */
export function fixtureServer(): Server {
  const server = new Server(
    { name: 'fixtures', version: '1' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...Object.keys(constantTools), ...Object.keys(sendingTools)].map(describeFixtureTool),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = sendingTools[params.name];
    if (tool) return tool(params.arguments ?? {}, extra, server);
    return { ...(constantTools[params.name] ?? refuseUnknown(params.name)) };
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: listFixturePrompts() }));
  server.setRequestHandler(
    GetPromptRequestSchema,
    ({ params }) => renderFixturePrompt(params.name, params.arguments ?? {}) ?? refuseUnknown(params.name),
  );
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => completeFixture(params.argument.value));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: listFixtureResources() }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: fixtureTemplates,
  }));
  server.setRequestHandler(
    ReadResourceRequestSchema,
    ({ params: { uri } }) => readFixtureResource(uri) ?? refuseUnknown(uri),
  );
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  return server;
}

function refuseUnknown(name: string): never {
  throw new McpError(ErrorCode.InvalidParams, `Unknown fixture ${name}.`);
}
