import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  ErrorCode,
  isJSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { ok, type Allowance } from '@switchboard/domain';
import { rateLimitHeaders, refusal } from '@switchboard/operations';
import type { Request, RequestHandler } from 'express';
import { askDispatch, type Caller } from './ask-dispatch.js';
import { keyOf } from './guard-key.js';
import { authorizationOf, wishesOf } from './headers.js';
import { narrow, type Narrowing } from './narrowing.js';
import { oneAnswer } from './one-answer.js';
import { requestIdOf, sendProblem, sendRefusal } from './problem.js';
import { readMessage } from './read-message.js';
import { refusalOf, takes } from './request-rules.js';
import { countMessages } from './message-quota.js';
import type { ServerFor, Serving } from './server.js';
import { whoami } from './whoami.js';

/** Serves one POST with a server and a transport of its own: nothing is kept between requests, so any replica answers any call. */
export const serveMessage =
  (
    service: Pick<Serving, 'ports' | 'dispatch'>,
    narrowing: Narrowing,
    serverFor: ServerFor,
  ): RequestHandler =>
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

    const counted: Allowance[] = [];
    const caller: Caller = {
      authorization: authorizationOf(request),
      address: request.ip,
      narrowing: narrowed.value,
      counted,
    };
    const key = keyOf(response);
    if (key) {
      const messages = [message.value].flat();
      const { allowance, isRefused } = await countMessages(service.ports, key, counted, messages);
      if (allowance) response.set(rateLimitHeaders(allowance));
      if (allowance && isRefused) {
        // Refused by dispatch, as everywhere, so that it is in the audit log and the metrics.
        const call = { input: ok({}), requestId, signal: new AbortController().signal };
        const refusing = { ...caller, counted: [allowance] };
        return sendRefusal(response, await askDispatch(service.dispatch, whoami, refusing, call));
      }
    }
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
