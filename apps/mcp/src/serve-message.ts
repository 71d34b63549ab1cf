import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  ErrorCode,
  isJSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { refusal } from '@switchboard/operations';
import type { Request, RequestHandler } from 'express';
import { authorizationOf, wishesOf } from './headers.js';
import { narrow, type Narrowing } from './narrowing.js';
import { oneAnswer } from './one-answer.js';
import { requestIdOf, sendProblem } from './problem.js';
import { readMessage } from './read-message.js';
import { refusalOf, takes } from './request-rules.js';
import type { ServerFor } from './server.js';

/** Serves one POST with a server and a transport of its own: nothing is kept between requests, so any replica answers any call. */
export const serveMessage =
  (narrowing: Narrowing, serverFor: ServerFor): RequestHandler =>
  async (request, response) => {
    const requestId = requestIdOf(response);
    const narrowed = narrow(narrowing, ...wishesOf(request));
    if (!narrowed.ok) return sendProblem(response, narrowed.failure);
    const message = await readMessage(request, response);
    if (!message.ok && message.failure.code === 'request.malformed_json') {
      const data = refusal(message.failure, requestId).value;
      const error = { code: ErrorCode.ParseError, message: message.failure.message, data };
      return void response.status(400).json({ jsonrpc: '2.0', id: null, error });
    }
    if (!message.ok) return sendProblem(response, message.failure);
    const refused = refusalOf(request, message.value);
    if (refused) {
      const { status, ...error } = refused;
      return void response.status(status).json({ jsonrpc: '2.0', id: null, error });
    }

    const caller = {
      authorization: authorizationOf(request),
      address: request.ip,
      narrowing: narrowed.value,
    };
    const server = serverFor(caller, requestId);
    const { json, stream } = takes(request);
    // One JSON answer is what proxies handle best, but it has no room for progress.
    const inJson = json && !(stream && wantsProgress(message.value));
    if (inJson && isJSONRPCRequest(message.value) && isSpoken(request)) {
      const wire = oneAnswer<JSONRPCMessage>(response);
      await server.connect(wire);
      return wire.onmessage?.(message.value);
    }
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: inJson });
    // It insists on both; in which of them it answers is settled by now.
    request.headers.accept = 'application/json, text/event-stream';
    // A client that leaves aborts what it asked for.
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, message.value);
  };

/** Another revision the SDK's transport refuses, in words by which newer clients know that they have to fall back. */
function isSpoken(request: Request): boolean {
  const version = request.get('mcp-protocol-version');
  return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

const wantsProgress = (message: unknown): boolean =>
  [message]
    .flat()
    .some(
      (one) =>
        (one as { params?: { _meta?: { progressToken?: unknown } } } | null)?.params?._meta?.progressToken !==
        undefined,
    );
