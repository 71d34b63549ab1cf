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
  type ContentBlock,
  type GetPromptResult,
} from '@modelcontextprotocol/sdk/types.js';
import { image, PIXEL, resource, text, tools, type Arguments } from './fixture-tools.js';
import { modernSchema } from './modern-schema.js';

const prompts: Readonly<Record<string, (given: Arguments) => readonly ContentBlock[]>> = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    resource(String(resourceUri), 'text/plain', 'Embedded resource content for testing.'),
    text('Please process the embedded resource above.'),
  ],
  test_prompt_with_image: () => [image, text('Please analyze the image above.')],
};

const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};

const resources: Readonly<Record<string, object>> = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content.' },
};

/**
 * The fixtures that the official suite requires; they use more of the protocol than Switchboard does. One
 * server per request, as in Switchboard.
 */
export function fixtureServer(): Server {
  const server = new Server(
    { name: 'fixtures', version: '1' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `Fixture ${name} of the conformance suite`,
      inputSchema: name === 'json_schema_2020_12_tool' ? modernSchema : { type: 'object' as const },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools[params.name] ?? refuseUnknown(params.name);
    return tool(params.arguments ?? {}, extra, server);
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.keys(prompts).map((name) => ({
      name,
      description: `Fixture ${name} of the conformance suite`,
      arguments: (argumentsOf[name] ?? []).map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }): GetPromptResult => {
    const prompt = prompts[params.name] ?? refuseUnknown(params.name);
    return {
      messages: prompt(params.arguments ?? {}).map((content) => ({ role: 'user' as const, content })),
    };
  });
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => ({
    completion: { values: ['paris', 'park'].filter((value) => value.startsWith(params.argument.value)) },
  }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: Object.keys(resources).map((uri) => ({
      uri,
      name: uri,
      description: `The fixture resource ${uri}`,
    })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [{ uri, ...(resources[uri] ?? fromTemplate(uri)) }],
  }));
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  return server;
}

function fromTemplate(uri: string): object {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1] ?? refuseUnknown(uri);
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { mimeType: 'application/json', text: JSON.stringify(data) };
}

function refuseUnknown(name: string): never {
  throw new McpError(ErrorCode.InvalidParams, `Unknown fixture ${name}.`);
}
