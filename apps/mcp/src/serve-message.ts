import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { refusal } from '@switchboard/operations';
import type { RequestHandler } from 'express';
import { authorizationOf, wishOf } from './headers.js';
import { narrow, type Narrowing } from './narrowing.js';
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
    const transport = new StreamableHTTPServerTransport({
      // One JSON answer is what proxies handle best, but it has no room for progress.
      enableJsonResponse: !wantsProgress(message.value),
    });
    // A client that leaves aborts what it asked for.
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, message.value);
  };

const wantsProgress = (message: unknown): boolean =>
  [message]
    .flat()
    .some(
      (one) =>
        (one as { params?: { _meta?: { progressToken?: unknown } } } | null)?.params?._meta?.progressToken !==
        undefined,
    );
