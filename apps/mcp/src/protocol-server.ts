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
import type { Answers, During } from './answers.js';
import { instructionsFor } from './instructions.js';
import type { Narrowing } from './narrowing.js';
import { promptsFor, writePrompt } from './prompt.js';
import { ProtocolError, type ProtocolErrorKind } from './protocol-error.js';
import { templatesFor } from './resource-kinds.js';

/** All that a transport is connected to. */
export type ProtocolServer = Pick<Server, 'connect' | 'close'>;

/** One for all: a server makes one of its own when it is given none, which takes longer than most calls. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

export interface Introduced {
  readonly version: string;
  readonly narrowing: Narrowing;
  /** Aborted when nobody is there any more who could be asked, although answers may still be read. */
  readonly gone?: AbortSignal | undefined;
}

/** The protocol around the answers; it introduces itself without asking for any. */
export function protocolServer({ version, narrowing, gone }: Introduced, answers: Answers): ProtocolServer {
  const server = new Server(
    { name: 'switchboard', title: 'Switchboard', version },
    {
      // Platforms can be read with any key, and a list of prompts may be empty.
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: instructionsFor(narrowing),
      jsonSchemaValidator,
    },
  );
  const answer = <Asked extends AnyRequest>(
    asked: Question<Asked>,
    find: (params: z.output<Asked>['params'], during: During) => Promise<object>,
  ) =>
    server.setRequestHandler(asked.loosely, async (request, extra) => {
      const { success, data, error } = asked.strictly.safeParse(request);
      if (!success) throw onTheWire(misshapen(error));
      const progress = progressOver(extra);
      const ask = askOver(server, extra, gone);
      const during: During = {
        signal: extra.signal,
        ...(progress && { onProgress: progress.tell }),
        ...(ask && { ask }),
      };
      try {
        return { ...(await find(data.params, during)) };
      } catch (error) {
        throw onTheWire(error);
      } finally {
        // Nothing may follow the answer.
        await progress?.told();
      }
    });

  answer(listTools, async () => ({ tools: await answers.listTools() }));
  answer(callTool, ({ name, arguments: given }, during) => answers.callTool(name, given ?? {}, during));
  answer(listResources, (params, during) => answers.listResources(params?.cursor, during));
  answer(listTemplates, async () => ({ resourceTemplates: templatesFor(await answers.listTools()) }));
  answer(readResource, async ({ uri }, during) => ({ contents: [await answers.readResource(uri, during)] }));
  answer(listPrompts, async () => ({ prompts: promptsFor(await answers.listTools()) }));
  answer(getPrompt, async ({ name, arguments: given }) =>
    writePrompt(await answers.listTools(), name, given ?? {}),
  );
  answer(complete, async ({ ref, argument: { name: argument, value: typed } }, during) => {
    const of = ref.type === 'ref/prompt' ? { prompt: ref.name } : { uri: ref.uri };
    return { completion: await answers.complete({ of, argument, typed }, during) };
  });
  return server;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Each notification says more than the one before, as the protocol wants it; what says no more is left out. */
function progressOver({ _meta, sendNotification }: Extra) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return null;
  let last = -1;
  let told = Promise.resolve();
  return {
    tell: ({ done, total, message }: Progress) => {
      if (done <= last) return;
      last = done;
      const params = { progressToken, progress: done, message, ...(total !== null && { total }) };
      const sent = sendNotification({ method: 'notifications/progress', params });
      told = Promise.all([told, sent]).then(
        () => undefined,
        () => undefined,
      );
    },
    told: () => told,
  };
}

const PERSON_MS = 5 * 60_000;

/** Over stateless HTTP nothing is known of the client here, and so nobody is asked. */
function askOver(
  server: Server,
  { signal, requestId }: Extra,
  gone: AbortSignal | undefined,
): During['ask'] | null {
  const { elicitation } = server.getClientCapabilities() ?? {};
  // A client that declares nothing in particular shows forms, and the SDK writes that out.
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
        signal: gone ? AbortSignal.any([signal, gone]) : signal,
        relatedRequestId: requestId,
        timeout: PERSON_MS,
      },
    );
    if (action === 'cancel') return 'cancelled';
    return action === 'accept' && content?.['confirmed'] === true ? 'accepted' : 'declined';
  };
}

type AnyRequest = z.ZodObject<{ method: z.ZodLiteral<string>; params: z.ZodType }>;

interface Question<Asked extends AnyRequest> {
  readonly strictly: Asked;
  readonly loosely: z.ZodObject<{ method: Asked['shape']['method'] }>;
}

/** The SDK reads it loosely, so that we can say in words of ours what is wrong with it; it would call that a fault of the server. */
const question = <Asked extends AnyRequest>(strictly: Asked): Question<Asked> => ({
  strictly,
  loosely: looseObject({ method: strictly.shape.method }),
});

const listTools = question(ListToolsRequestSchema);
const callTool = question(CallToolRequestSchema);
const listResources = question(ListResourcesRequestSchema);
const listTemplates = question(ListResourceTemplatesRequestSchema);
const readResource = question(ReadResourceRequestSchema);
const listPrompts = question(ListPromptsRequestSchema);
const getPrompt = question(GetPromptRequestSchema);
const complete = question(CompleteRequestSchema);

function misshapen({ issues }: z.ZodError): ProtocolError {
  const paths = issues.map(({ path }) => path.map(String).join('.')).join(', ');
  return new ProtocolError('invalid_params', `The message is not as the protocol has it: look at ${paths}.`);
}

/** The numbers of revision 2025-11-25; in 2026-07-28 a resource that is not found is one of the invalid parameters. */
const codes: Readonly<Record<ProtocolErrorKind, number>> = {
  invalid_request: ErrorCode.InvalidRequest,
  invalid_params: ErrorCode.InvalidParams,
  not_found: -32002,
  internal: ErrorCode.InternalError,
};

/** The SDK sends code, message and data of whatever is thrown: of an error that is not ours, none of that leaves. */
function onTheWire(error: unknown): Error {
  const { kind, message, data } =
    error instanceof ProtocolError
      ? error
      : new ProtocolError('internal', 'Something went wrong on our side.');
  return Object.assign(new Error(message), { code: codes[kind], ...(data && { data }) });
}
