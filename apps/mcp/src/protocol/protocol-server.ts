import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { confirmationForm, toDecision } from './confirmation-form.js';
import type { McpHandlers, CallContext } from './mcp-handlers.js';
import { methodNamed } from './methods.js';
import { createProgressReporter } from './progress-reporter.js';
import { toJsonRpcError } from './protocol-error.js';
import { describeServer, type ServerIdentity } from './server-identity.js';

export type ProtocolServer = Pick<Server, 'connect' | 'close'>;

/** Shared by all servers: each would otherwise create its own, which takes longer than most calls. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

interface LegacyServerIdentity extends ServerIdentity {
  /** Aborted when the person can no longer be prompted, although responses may still be read. */
  readonly disconnected?: AbortSignal | undefined;
}

/**
 * The protocol up to revision 2025-11-25 around the handlers; it completes the initialization without calling
 * any of them.
 */
export function protocolServer(identity: LegacyServerIdentity, handlers: McpHandlers): ProtocolServer {
  const { info, capabilities, instructions } = describeServer(identity);
  const server = new Server(info, { capabilities, instructions, jsonSchemaValidator });
  // The SDK's handlers of single methods validate requests and results a second and a third time.
  server.fallbackRequestHandler = async (request, extra) => {
    const progress = createProgressReporter(extra._meta?.progressToken, extra.sendNotification);
    const elicit = createElicit(server, extra, identity.disconnected);
    const callContext: CallContext = {
      signal: extra.signal,
      ...(progress && { onProgress: progress.report }),
      ...(elicit && { elicit }),
    };
    try {
      return { ...(await methodNamed(request.method).respond(handlers, request, callContext)) };
    } catch (error) {
      throw toJsonRpcError(error);
    } finally {
      // Nothing may follow the response.
      await progress?.pendingNotifications();
    }
  };
  return server;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

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
  return async (question) => {
    const elicited = await server.elicitInput(confirmationForm(question), {
      signal: disconnected ? AbortSignal.any([signal, disconnected]) : signal,
      relatedRequestId: requestId,
      timeout: ELICITATION_TIMEOUT_MS,
    });
    return toDecision(elicited) ?? 'cancelled';
  };
}
