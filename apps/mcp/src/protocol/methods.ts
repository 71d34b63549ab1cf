import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { promptsFor, renderPrompt } from '../prompts/render-prompt.js';
import { templatesFor } from '../resources/resource-kinds.js';
import type { CallContext, McpHandlers } from './mcp-handlers.js';
import { ProtocolError } from './protocol-error.js';

type RequestSchema = z.ZodObject<{ method: z.ZodLiteral<string>; params: z.ZodType }>;

/** A request as a protocol library hands it over: its method is known, its parameters are unchecked. */
interface UncheckedRequest {
  readonly method: string;
  readonly params?: unknown;
}

/** A method of the protocol, independent of the library and of the revision that serve it. */
export interface ProtocolMethod {
  readonly schema: RequestSchema;
  respond(handlers: McpHandlers, request: UncheckedRequest, callContext: CallContext): Promise<object>;
}

const defineMethod = <Schema extends RequestSchema>(
  schema: Schema,
  respond: (
    handlers: McpHandlers,
    params: z.output<Schema>['params'],
    callContext: CallContext,
  ) => Promise<object>,
): ProtocolMethod => ({
  schema,
  async respond(handlers, request, callContext) {
    const { success, data, error } = schema.safeParse(request);
    if (!success) throw toInvalidParams(error);
    return respond(handlers, data.params, callContext);
  },
});

/** The methods that every revision has. */
const protocolMethods: readonly ProtocolMethod[] = [
  defineMethod(ListToolsRequestSchema, async (handlers) => ({ tools: await handlers.listTools() })),
  defineMethod(CallToolRequestSchema, (handlers, { name, arguments: toolArguments }, callContext) =>
    handlers.callTool(name, toolArguments ?? {}, callContext),
  ),
  defineMethod(ListResourcesRequestSchema, (handlers, params, callContext) =>
    handlers.listResources(params?.cursor, callContext),
  ),
  defineMethod(ListResourceTemplatesRequestSchema, async (handlers) => ({
    resourceTemplates: templatesFor(await handlers.listTools()),
  })),
  defineMethod(ReadResourceRequestSchema, async (handlers, { uri }, callContext) => ({
    contents: [await handlers.readResource(uri, callContext)],
  })),
  defineMethod(ListPromptsRequestSchema, async (handlers) => ({
    prompts: promptsFor(await handlers.listTools()),
  })),
  defineMethod(GetPromptRequestSchema, async (handlers, { name, arguments: promptArguments }) =>
    renderPrompt(await handlers.listTools(), name, promptArguments ?? {}),
  ),
  defineMethod(CompleteRequestSchema, async (handlers, params, callContext) => {
    const { ref, argument } = params;
    const of = ref.type === 'ref/prompt' ? { prompt: ref.name } : { uri: ref.uri };
    const completion = { ref: of, argument: argument.name, typed: argument.value };
    return { completion: await handlers.complete(completion, callContext) };
  }),
];

const methodsByName = new Map(protocolMethods.map((method) => [method.schema.shape.method.value, method]));

/** The method that a request names; throws when there is none. */
export function methodNamed(name: string): ProtocolMethod {
  const method = methodsByName.get(name);
  if (!method) throw new ProtocolError('method_not_found', 'Method not found');
  return method;
}

function toInvalidParams({ issues }: z.ZodError): ProtocolError {
  const paths = issues.map(({ path }) => path.map(String).join('.')).join(', ');
  return new ProtocolError('invalid_params', `The message does not match the protocol schema: ${paths}.`);
}
