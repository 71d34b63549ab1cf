import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { z } from 'zod';
import type { Answers, During } from './answers.js';
import { instructionsFor } from './instructions.js';
import type { Narrowing } from './narrowing.js';
import { ProtocolError, type ProtocolErrorKind } from './protocol-error.js';

/** All that a transport is connected to. */
export type ProtocolServer = Pick<Server, 'connect' | 'close'>;

/** One for all: a server makes one of its own when it is given none, which takes longer than most calls. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** The protocol around the answers; it introduces itself without asking for any. */
export function protocolServer(
  { version, narrowing }: { readonly version: string; readonly narrowing: Narrowing },
  answers: Answers,
): ProtocolServer {
  const server = new Server(
    { name: 'switchboard', title: 'Switchboard', version },
    { capabilities: { tools: {} }, instructions: instructionsFor(narrowing), jsonSchemaValidator },
  );
  const answer = <Asked extends AnyRequest>(
    asked: Question<Asked>,
    find: (params: z.output<Asked>['params'], during: During) => Promise<object>,
  ) =>
    server.setRequestHandler(asked.loosely, async (request, { signal }) => {
      const { success, data, error } = asked.strictly.safeParse(request);
      if (!success) throw onTheWire(misshapen(error));
      try {
        return { ...(await find(data.params, { signal })) };
      } catch (error) {
        throw onTheWire(error);
      }
    });

  answer(listTools, async () => ({ tools: await answers.listTools() }));
  answer(callTool, ({ name, arguments: given }, during) => answers.callTool(name, given ?? {}, during));
  return server;
}

type AnyRequest = z.ZodObject<{ method: z.ZodLiteral<string>; params: z.ZodType }>;

interface Question<Asked extends AnyRequest> {
  readonly strictly: Asked;
  readonly loosely: z.ZodObject<{ method: Asked['shape']['method'] }>;
}

/** The SDK reads it loosely, so that we can say in words of ours what is wrong with it; it would call that a fault of the server. */
const question = <Asked extends AnyRequest>(strictly: Asked): Question<Asked> => ({
  strictly,
  loosely: z.looseObject({ method: strictly.shape.method }),
});

const listTools = question(ListToolsRequestSchema);
const callTool = question(CallToolRequestSchema);

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
