import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { Progress } from '@switchboard/domain';
import { looseObject, type z } from 'zod';
import type { McpHandlers, CallContext } from './mcp-handlers.js';
import { instructionsFor } from './instructions.js';
import type { ToolFilter } from '../tools/tool-filter.js';
import { promptsFor, renderPrompt } from '../prompts/render-prompt.js';
import { ProtocolError, type ProtocolErrorKind } from './protocol-error.js';
import { templatesFor } from '../resources/resource-kinds.js';

/** The part of a server that connects to a transport. */
export type ProtocolServer = Pick<Server, 'connect' | 'close'>;

/** Shared by all servers: each would otherwise create its own, which takes longer than most calls. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

interface ServerIdentity {
  readonly version: string;
  readonly toolFilter: ToolFilter;
  /** Aborted when the person can no longer be prompted, although responses may still be read. */
  readonly disconnected?: AbortSignal | undefined;
}

/** The protocol around the handlers; it completes the initialization without calling any of them. */
export function protocolServer(
  { version, toolFilter, disconnected }: ServerIdentity,
  handlers: McpHandlers,
): ProtocolServer {
  const server = new Server(
    { name: 'switchboard', title: 'Switchboard', version },
    {
      // Any key can read platforms, and a list of prompts may be empty.
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: instructionsFor(toolFilter),
      jsonSchemaValidator,
    },
  );
  const handle = <RequestSchema extends AnyRequest>(
    schemas: RequestSchemas<RequestSchema>,
    respond: (params: z.output<RequestSchema>['params'], callContext: CallContext) => Promise<object>,
  ) =>
    server.setRequestHandler(schemas.loose, async (request, extra) => {
      const { success, data, error } = schemas.strict.safeParse(request);
      if (!success) throw toJsonRpcError(toInvalidParams(error));
      const progress = createProgressReporter(extra);
      const ask = createElicit(server, extra, disconnected);
      const callContext: CallContext = {
        signal: extra.signal,
        ...(progress && { onProgress: progress.report }),
        ...(ask && { elicit: ask }),
      };
      try {
        return { ...(await respond(data.params, callContext)) };
      } catch (error) {
        throw toJsonRpcError(error);
      } finally {
        // Nothing may follow the response.
        await progress?.pendingNotifications();
      }
    });

  handle(listTools, async () => ({ tools: await handlers.listTools() }));
  handle(callTool, ({ name, arguments: toolArguments }, callContext) =>
    handlers.callTool(name, toolArguments ?? {}, callContext),
  );
  handle(listResources, (params, callContext) => handlers.listResources(params?.cursor, callContext));
  handle(listTemplates, async () => ({ resourceTemplates: templatesFor(await handlers.listTools()) }));
  handle(readResource, async ({ uri }, callContext) => ({
    contents: [await handlers.readResource(uri, callContext)],
  }));
  handle(listPrompts, async () => ({ prompts: promptsFor(await handlers.listTools()) }));
  handle(getPrompt, async ({ name, arguments: toolArguments }) =>
    renderPrompt(await handlers.listTools(), name, toolArguments ?? {}),
  );
  handle(complete, async ({ ref, argument: { name: argument, value: typed } }, callContext) => {
    const of = ref.type === 'ref/prompt' ? { prompt: ref.name } : { uri: ref.uri };
    return { completion: await handlers.complete({ ref: of, argument, typed }, callContext) };
  });
  return server;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Each notification must increase the progress, as the protocol requires; others are dropped. */
function createProgressReporter({ _meta, sendNotification }: Extra) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return null;
  let last = -1;
  let pendingNotifications = Promise.resolve();
  return {
    report: ({ done, total, message }: Progress) => {
      if (done <= last) return;
      last = done;
      const params = { progressToken, progress: done, message, ...(total !== null && { total }) };
      const sent = sendNotification({ method: 'notifications/progress', params });
      pendingNotifications = Promise.all([pendingNotifications, sent]).then(
        () => undefined,
        () => undefined,
      );
    },
    pendingNotifications: () => pendingNotifications,
  };
}

const ELICITATION_TIMEOUT_MS = 5 * 60_000;

/** Over stateless HTTP the capabilities of the client are unknown here, so it is not prompted. */
function createElicit(
  server: Server,
  { signal, requestId }: Extra,
  disconnected: AbortSignal | undefined,
): CallContext['elicit'] | null {
  const { elicitation } = server.getClientCapabilities() ?? {};
  // A client that declares no specific mode supports forms, and the SDK writes that explicitly.
  if (!elicitation?.form) return null;
  return async ({ message, label: title }) => {
    const confirmed = { type: 'boolean' as const, title, default: false };
    const { action, content } = await server.elicitInput(
      {
        mode: 'form',
        message,
        requestedSchema: { type: 'object', properties: { confirmed }, required: ['confirmed'] },
      },
      {
        signal: disconnected ? AbortSignal.any([signal, disconnected]) : signal,
        relatedRequestId: requestId,
        timeout: ELICITATION_TIMEOUT_MS,
      },
    );
    if (action === 'cancel') return 'cancelled';
    return action === 'accept' && content?.['confirmed'] === true ? 'accepted' : 'declined';
  };
}

type AnyRequest = z.ZodObject<{ method: z.ZodLiteral<string>; params: z.ZodType }>;

interface RequestSchemas<RequestSchema extends AnyRequest> {
  readonly strict: RequestSchema;
  readonly loose: z.ZodObject<{ method: RequestSchema['shape']['method'] }>;
}

/**
 * The SDK parses messages loosely, so that we can report what is wrong with one; otherwise the SDK would
 * report an internal error.
 */
const requestSchemas = <RequestSchema extends AnyRequest>(
  strictly: RequestSchema,
): RequestSchemas<RequestSchema> => ({
  strict: strictly,
  loose: looseObject({ method: strictly.shape.method }),
});

const listTools = requestSchemas(ListToolsRequestSchema);
const callTool = requestSchemas(CallToolRequestSchema);
const listResources = requestSchemas(ListResourcesRequestSchema);
const listTemplates = requestSchemas(ListResourceTemplatesRequestSchema);
const readResource = requestSchemas(ReadResourceRequestSchema);
const listPrompts = requestSchemas(ListPromptsRequestSchema);
const getPrompt = requestSchemas(GetPromptRequestSchema);
const complete = requestSchemas(CompleteRequestSchema);

function toInvalidParams({ issues }: z.ZodError): ProtocolError {
  const paths = issues.map(({ path }) => path.map(String).join('.')).join(', ');
  return new ProtocolError('invalid_params', `The message does not match the protocol schema: ${paths}.`);
}

/** The codes of revision 2025-11-25; in 2026-07-28 a resource that is not found is an invalid parameter. */
const codes: Readonly<Record<ProtocolErrorKind, number>> = {
  invalid_request: ErrorCode.InvalidRequest,
  invalid_params: ErrorCode.InvalidParams,
  not_found: -32002,
  internal: ErrorCode.InternalError,
};

/**
 * The SDK sends code, message and data of everything that is thrown: for errors that are not ours, none of
 * that is sent.
 */
function toJsonRpcError(error: unknown): Error {
  const { kind, message, data } =
    error instanceof ProtocolError ? error : new ProtocolError('internal', 'Internal error.');
  return Object.assign(new Error(message), { code: codes[kind], ...(data && { data }) });
}
