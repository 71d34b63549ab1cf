import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { ErrorCode, isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { ok, failure, refuseWith, type Failure, type Result } from '@switchboard/domain';
import type { RateLimitDecision } from '@switchboard/domain/ports';
import { rateLimitHeaders, createErrorResponse } from '@switchboard/operations';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { dispatchForCaller, type Caller } from './dispatch-for-caller.js';
import { keyOf } from './guard-key.js';
import { authorizationOf, readToolFilterHeaders } from '../http/headers.js';
import { narrowToolFilter, type ToolFilter } from '../tools/tool-filter.js';
import { singleResponseTransport } from './single-response-transport.js';
import { requestIdOf, sendProblem, sendErrorResponse } from '../http/problem.js';
import { findRejection, acceptedTypes } from './request-rules.js';
import { MAX_MESSAGE_BYTES } from './message-defect.js';
import { countMessages } from './message-quota.js';
import { generationOf } from './revisions.js';
import { serveModernRequest } from './serve-modern-request.js';
import type { ServerFactories, McpService } from './server.js';
import { whoami } from './whoami.js';

/**
 * Serves one POST with its own server and transport: no state is kept between requests, so any replica can
 * serve any call.
 */
export const serveMessage =
  (
    service: Pick<McpService, 'ports' | 'dispatch'>,
    toolFilter: ToolFilter,
    factories: ServerFactories,
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
    const accepted = acceptedTypes(request);
    const rejection = findRejection(request, accepted, message.value);
    if (rejection) {
      const { status, id = null, ...error } = rejection;
      return void response.status(status).json({ jsonrpc: '2.0', id, error });
    }

    const countedAllowances: RateLimitDecision[] = [];
    const caller: Caller = {
      authorization: authorizationOf(request),
      address: request.ip,
      toolFilter: requestFilter.value,
      traceContext: { traceparent: request.get('traceparent'), tracestate: request.get('tracestate') },
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
    if (generationOf(message.value, request.get('mcp-protocol-version')) === 'modern') {
      // The only notification of a client cancels a request, which over HTTP a disconnect does.
      if (!isJSONRPCRequest(message.value)) return void response.status(202).end();
      return serveModernRequest(response, accepted, message.value, factories.modern(caller, requestId));
    }
    const server = factories.legacy(caller, requestId);
    // Proxies handle a single JSON response best, but it cannot carry progress.
    const respondsInJson = accepted.json && !(accepted.stream && requestsProgress(message.value));
    if (respondsInJson && isJSONRPCRequest(message.value)) {
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

const requestsProgress = (message: unknown): boolean =>
  [message]
    .flat()
    .some(
      (one) =>
        (one as { params?: { _meta?: { progressToken?: unknown } } } | null)?.params?._meta?.progressToken !==
        undefined,
    );

const parse = express.json({ limit: MAX_MESSAGE_BYTES, strict: false, type: () => true });

type MessageCode = 'request.malformed_json' | 'request.too_large' | 'request.unsupported_media_type';

/** Reads the JSON-RPC message, or batch of messages, of a POST. */
async function readMessage(request: Request, response: Response): Promise<Result<unknown, MessageCode>> {
  if (request.is('application/json') === false) return refuseWith(unsupportedMediaType());
  if (!isUtf8Charset(request.headers['content-type'])) return refuseWith(unsupportedMediaType());
  const error = await new Promise<unknown>((resolve) => parse(request, response, resolve));
  if (error) return refuseWith(toReadFailure(error));
  // Without a body the parser does not run.
  return request.body === undefined ? refuseWith(malformedJson()) : ok<unknown>(request.body);
}

function toReadFailure(error: unknown): Failure<MessageCode> {
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
      return failure('request.too_large', `The body exceeds ${MAX_MESSAGE_BYTES} bytes.`);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return unsupportedMediaType();
    default:
      return malformedJson();
  }
}

const malformedJson = () => failure('request.malformed_json', 'The body is not valid JSON.');

const unsupportedMediaType = () =>
  failure('request.unsupported_media_type', 'Send the body as application/json, in UTF-8.');

/** JSON between programs is UTF-8 (RFC 8259); the parser would accept other Unicode encodings. */
const isUtf8Charset = (contentType = ''): boolean => {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
};
