import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  ErrorCode,
  isJSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { refusal } from '@switchboard/operations';
import type { Request, RequestHandler } from 'express';
import { authorizationOf, wishOf } from './headers.js';
import { narrow, type Narrowing } from './narrowing.js';
import { oneAnswer } from './one-answer.js';
import { requestIdOf, sendProblem } from './problem.js';
import { readMessage } from './read-message.js';
import type { ServerFor } from './server.js';

/** Serves one POST with a server and a transport of its own: nothing is kept between requests, so any replica answers any call. */
export const serveMessage =
  (narrowing: Narrowing, serverFor: ServerFor): RequestHandler =>
  async (request, response) => {
    const requestId = requestIdOf(response);
    const narrowed = narrow(narrowing, wishOf(request));
    if (!narrowed.ok) return sendProblem(response, narrowed.failure);
    const message = await readMessage(request, response);
    if (!message.ok && message.failure.code === 'request.malformed_json') {
      const data = refusal(message.failure, requestId).value;
      const error = { code: ErrorCode.ParseError, message: message.failure.message, data };
      return void response.status(400).json({ jsonrpc: '2.0', id: null, error });
    }
    if (!message.ok) return sendProblem(response, message.failure);

    const caller = {
      authorization: authorizationOf(request),
      address: request.ip,
      narrowing: narrowed.value,
    };
    const server = serverFor(caller, requestId);
    if (isOneQuestion(message.value) && isWellPut(request)) {
      const wire = oneAnswer<JSONRPCMessage>(response);
      await server.connect(wire);
      return wire.onmessage?.(message.value);
    }
    const transport = new StreamableHTTPServerTransport({
      // One JSON answer is what proxies handle best, but it has no room for progress.
      enableJsonResponse: !wantsProgress(message.value),
    });
    // A client that leaves aborts what it asked for.
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, message.value);
  };

const isOneQuestion = (message: unknown): message is JSONRPCRequest =>
  isJSONRPCRequest(message) && !wantsProgress(message);

/** Whatever is not, the SDK's transport refuses in the words of the protocol. */
function isWellPut(request: Request): boolean {
  const { accept = '', 'mcp-protocol-version': version } = request.headers;
  const takes = (type: string) => accept.includes(type);
  return (
    takes('application/json') &&
    takes('text/event-stream') &&
    (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version)))
  );
}

const wantsProgress = (message: unknown): boolean =>
  [message]
    .flat()
    .some(
      (one) =>
        (one as { params?: { _meta?: { progressToken?: unknown } } } | null)?.params?._meta?.progressToken !==
        undefined,
    );
