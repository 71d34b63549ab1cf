import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  ErrorCode,
  isJSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { ok } from '@switchboard/domain';
import type { RateLimitDecision } from '@switchboard/domain/ports';
import { rateLimitHeaders, createErrorResponse } from '@switchboard/operations';
import type { Request, RequestHandler } from 'express';
import { dispatchForCaller, type Caller } from './dispatch-for-caller.js';
import { keyOf } from './guard-key.js';
import { authorizationOf, readToolFilterHeaders } from '../http/headers.js';
import { narrowToolFilter, type ToolFilter } from '../tools/tool-filter.js';
import { singleResponseTransport } from './single-response-transport.js';
import { requestIdOf, sendProblem, sendErrorResponse } from '../http/problem.js';
import { readMessage } from './read-message.js';
import { findRejection, acceptedTypes } from './request-rules.js';
import { countMessages } from './message-quota.js';
import type { ServerFactory, McpService } from './server.js';
import { whoami } from './whoami.js';

/**
 * Serves one POST with its own server and transport: no state is kept between requests, so any replica can
 * serve any call.
 */
export const serveMessage =
  (
    service: Pick<McpService, 'ports' | 'dispatch'>,
    toolFilter: ToolFilter,
    serverFactory: ServerFactory,
  ): RequestHandler =>
  async (request, response) => {
    const requestId = requestIdOf(response);
    const requestFilter = narrowToolFilter(toolFilter, ...readToolFilterHeaders(request));
    if (!requestFilter.ok) return sendProblem(response, requestFilter.failure);
    const message = await readMessage(request, response);
    if (!message.ok && message.failure.code === 'request.malformed_json') {
      const data = createErrorResponse(message.failure, requestId).value;
      const error = { code: ErrorCode.ParseError, message: message.failure.message, data };
      return void response.status(400).json({ jsonrpc: '2.0', id: null, error });
    }
    if (!message.ok) return sendProblem(response, message.failure);
    const rejection = findRejection(request, message.value);
    if (rejection) {
      const { status, ...error } = rejection;
      return void response.status(status).json({ jsonrpc: '2.0', id: null, error });
    }

    const countedAllowances: RateLimitDecision[] = [];
    const caller: Caller = {
      authorization: authorizationOf(request),
      address: request.ip,
      toolFilter: requestFilter.value,
      countedAllowances,
    };
    const key = keyOf(response);
    if (key) {
      const messages = [message.value].flat();
      const { allowance, isRefused } = await countMessages(service.ports, key, countedAllowances, messages);
      if (allowance) response.set(rateLimitHeaders(allowance));
      if (allowance && isRefused) {
        // Dispatch rejects it, as everywhere, so that it is in the audit log and the metrics.
        const call = { input: ok({}), requestId, signal: new AbortController().signal };
        const refusedCaller = { ...caller, countedAllowances: [allowance] };
        return sendErrorResponse(
          response,
          await dispatchForCaller(service.dispatch, whoami, refusedCaller, call),
        );
      }
    }
    const server = serverFactory(caller, requestId);
    const { json, stream } = acceptedTypes(request);
    // Proxies handle a single JSON response best, but it cannot carry progress.
    const respondsInJson = json && !(stream && requestsProgress(message.value));
    if (respondsInJson && isJSONRPCRequest(message.value) && isSupportedRevision(request)) {
      const singleResponse = singleResponseTransport<JSONRPCMessage>(response);
      await server.connect(singleResponse);
      return singleResponse.onmessage?.(message.value);
    }
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: respondsInJson });
    // The SDK requires both types; the type of the response is already decided here.
    request.headers.accept = 'application/json, text/event-stream';
    // A client that disconnects aborts its call.
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, message.value);
  };

/** The SDK's transport rejects other revisions with a message that makes newer clients fall back. */
function isSupportedRevision(request: Request): boolean {
  const version = request.get('mcp-protocol-version');
  return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

const requestsProgress = (message: unknown): boolean =>
  [message]
    .flat()
    .some(
      (one) =>
        (one as { params?: { _meta?: { progressToken?: unknown } } } | null)?.params?._meta?.progressToken !==
        undefined,
    );
