import {
  CLIENT_CAPABILITIES_META_KEY,
  PerRequestHTTPServerTransport,
  Server,
  SUBSCRIPTION_ID_META_KEY,
  type ClientCapabilities,
  type JSONRPCMessage,
  type Request,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ConfirmationRequest } from './confirm-in-rounds.js';
import { confirmationForm, toDecision } from './confirmation-form.js';
import type { CallContext, ConfirmationRound, McpHandlers } from './mcp-handlers.js';
import { methodNamed } from './methods.js';
import { createProgressReporter } from './progress-reporter.js';
import { ProtocolError, toJsonRpcError } from './protocol-error.js';
import { MODERN_REVISION } from './revisions.js';
import { describeServer, type ServerIdentity } from './server-identity.js';
import { sanitizeText } from '../tools/sanitize-text.js';

export type ModernServer = Pick<Server, 'connect' | 'close'>;

/** Creates the server of one request; the identity is the same for every request of a program. */
export function modernServer(identity: ServerIdentity, handlers: McpHandlers): ModernServer {
  const { info, capabilities, instructions } = describeServer(identity);
  const server = new Server(info, {
    capabilities,
    instructions,
    supportedProtocolVersions: [MODERN_REVISION],
    jsonSchemaValidator: noValidator,
    cacheHints: { 'server/discover': STABLE },
  });
  // The SDK's handlers of single methods validate requests and results a second and a third time.
  server.fallbackRequestHandler = (request, context) => respond(handlers, request, context);
  return server;
}

/** The SDK validates with it only what a client returns to a request of the server, which this revision has not. */
const noValidator = {
  getValidator(): never {
    throw new Error('revision 2026-07-28 has no requests to the client');
  },
};

interface CacheHint {
  readonly ttlMs: number;
  readonly cacheScope: 'private';
}

/** Private, because every response depends on the key. */
const STABLE: CacheHint = { ttlMs: 5 * 60_000, cacheScope: 'private' };
const CHANGING: CacheHint = { ttlMs: 0, cacheScope: 'private' };

/**
 * Lists of tools, prompts and templates change with the scopes of the key only. A connection or a post that a
 * resource shows may change at any time.
 */
const cacheHints: Readonly<Record<string, CacheHint>> = {
  'tools/list': STABLE,
  'prompts/list': STABLE,
  'resources/templates/list': STABLE,
  'resources/list': CHANGING,
  'resources/read': CHANGING,
};

async function respond(handlers: McpHandlers, request: Request, context: ServerContext): Promise<Result> {
  if (request.method === 'subscriptions/listen') return acknowledgeSubscription(request, context);
  const { signal, _meta, notify } = context.mcpReq;
  const progress = createProgressReporter(_meta?.progressToken, (notification) => notify(notification));
  try {
    const round = roundOf(context);
    const callContext: CallContext = {
      signal,
      round,
      ...(progress && { onProgress: progress.report }),
    };
    const result = await methodNamed(request.method).respond(handlers, request, callContext);
    return isConfirmationRequest(result)
      ? toInputRequired(result)
      : { ...result, ...cacheHints[request.method] };
  } catch (error) {
    throw toJsonRpcError(withUri(error, request));
  } finally {
    // Nothing may follow the response.
    await progress?.pendingNotifications();
  }
}

/**
 * The revision names a resource that does not exist. Not in older ones: there the client of SDK version 2 drops
 * the failure next to it.
 */
const withUri = (error: unknown, { params }: Request): unknown =>
  error instanceof ProtocolError && error.kind === 'not_found'
    ? new ProtocolError(error.kind, error.message, {
        ...error.data,
        uri: sanitizeText(String(params?.['uri'])),
      })
    : error;

/** The key under which the client returns the response of the person. */
const CONFIRMATION = 'confirmation';

function roundOf({ mcpReq: { envelope, inputResponses, requestState } }: ServerContext): ConfirmationRound {
  // The SDK has checked the envelope; its declared type lost the fields.
  const capabilities = (envelope as Readonly<Record<string, unknown>> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ] as ClientCapabilities | undefined;
  const elicitation = capabilities?.elicitation;
  const state = requestState<unknown>();
  if (state !== undefined && typeof state !== 'string') {
    throw new ProtocolError('invalid_params', 'The requestState is not a text.');
  }
  return {
    // A client that declares no specific mode supports forms.
    canAsk: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    state,
    decision: toDecision(inputResponses?.[CONFIRMATION]),
  };
}

const isConfirmationRequest = (result: object): result is ConfirmationRequest => 'question' in result;

const toInputRequired = ({ question, state }: ConfirmationRequest): Result => ({
  resultType: 'input_required',
  inputRequests: { [CONFIRMATION]: { method: 'elicitation/create', params: confirmationForm(question) } },
  requestState: state,
});

/**
 * No list announces changes and no resource can be subscribed to, so a subscription ends at once: nothing
 * would ever be sent.
 */
async function acknowledgeSubscription({ params }: Request, { mcpReq }: ServerContext): Promise<Result> {
  if (typeof params?.['notifications'] !== 'object' || params['notifications'] === null) {
    throw toJsonRpcError(new ProtocolError('invalid_params', 'Name the requested notifications.'));
  }
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: mcpReq.id };
  await mcpReq.notify({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: {}, _meta },
  });
  return { _meta };
}

/** The exchange of one request and its response, over any transport. */
export interface Exchange {
  /** Delivers the request, or a notification that cancels it. */
  deliver(message: object): void;
  /** Aborts the request, which gets no response. */
  close(): Promise<void>;
}

/** Sends a message of the server. `isRejection`: the request was rejected before any handler ran. */
export type SendMessage = (message: JSONRPCMessage, isRejection: boolean) => void;

const classification = { era: 'modern' as const, revision: MODERN_REVISION };

/** Connects a server to one request. */
export async function openExchange(server: ModernServer, send: SendMessage): Promise<Exchange> {
  const transport = new ExchangeTransport(send);
  await server.connect(transport);
  return {
    deliver: (message) => transport.deliver(message as JSONRPCMessage),
    close: () => transport.close(),
  };
}

/**
 * The SDK's transport for one request, with which a server serves this revision; sending is our own. The
 * SDK's builds a web response, which costs more than the rest of the protocol, and exists over HTTP only.
 */
class ExchangeTransport extends PerRequestHTTPServerTransport {
  readonly #send: SendMessage;
  #isDelivering = false;
  #isClosed = false;

  constructor(send: SendMessage) {
    super({ classification });
    this.#send = send;
  }

  deliver(message: JSONRPCMessage): void {
    // Handlers run later: what is sent during the delivery rejects the request.
    this.#isDelivering = true;
    this.onmessage?.(message, { classification });
    this.#isDelivering = false;
  }

  override send(message: JSONRPCMessage): Promise<void> {
    if (!this.#isClosed) this.#send(message, this.#isDelivering);
    return Promise.resolve();
  }

  override close(): Promise<void> {
    this.#isClosed = true;
    return super.close();
  }
}
