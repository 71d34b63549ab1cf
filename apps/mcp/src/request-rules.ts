import type { Request } from 'express';

/** Why a message is refused for how it came: the HTTP status, and the error of JSON-RPC. */
export interface RequestRejection {
  readonly status: 400 | 406;
  readonly code: number;
  readonly message: string;
}

/** Numbers of JSON-RPC, and of MCP where it has one of its own. */
const codes = { transport: -32000, invalidRequest: -32600, headerMismatch: -32020 };

/**
 * What a client takes. The protocol wants both types named. One that names none, or anything, gets what every program can
 * read: one JSON document. A stream gets only who names it.
 */
export function acceptedTypes(request: Request): { readonly json: boolean; readonly stream: boolean } {
  return {
    json: request.accepts('application/json') !== false,
    stream:
      /text\/event-stream/i.test(request.get('accept') ?? '') &&
      request.accepts('text/event-stream') !== false,
  };
}

/** The first revision without batches. */
const FIRST_REVISION_WITHOUT_BATCHES = '2025-06-18';

/** What is wrong with how a message came; null when nothing is. */
export function findRejection(request: Request, message: unknown): RequestRejection | null {
  const { json, stream } = acceptedTypes(request);
  if (!json && !stream) {
    const message =
      'Accept application/json, and text/event-stream to hear of progress: nothing else is answered here.';
    return { status: 406, code: codes.transport, message };
  }
  if (Array.isArray(message)) return findBatchRejection(request, message);
  return findHeaderRejection(request, message as MessageBody);
}

function findBatchRejection(request: Request, { length }: readonly unknown[]): RequestRejection | null {
  const version = request.get('mcp-protocol-version');
  const hasBatches = version === undefined || version < FIRST_REVISION_WITHOUT_BATCHES;
  if (hasBatches && length > 0) return null;
  const message = hasBatches
    ? 'A batch holds a message.'
    : `Send one message: revision ${FIRST_REVISION_WITHOUT_BATCHES} took batches away.`;
  return { status: 400, code: codes.invalidRequest, message };
}

interface MessageBody {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly uri?: unknown };
}

/**
 * Revision 2026-07-28 says method and name in headers too, and whatever stands before us may decide by those. We go by the
 * body, so they may not differ.
 */
function findHeaderRejection(request: Request, body: MessageBody): RequestRejection | null {
  const method = request.get('mcp-method');
  const name = request.get('mcp-name');
  const named = body.params?.name ?? body.params?.uri;
  if ((method ?? body.method) === body.method && (name ?? named) === named) return null;
  const message = 'The headers Mcp-Method and Mcp-Name say something else than the message.';
  return { status: 400, code: codes.headerMismatch, message };
}
