import type { Request } from 'express';
import { findMessageDefect, type MessageDefect } from './message-defect.js';

/** Why the transport rejects a message: the HTTP status, and the JSON-RPC error. */
interface RequestRejection {
  readonly status: 400 | 406;
  readonly id?: MessageDefect['id'];
  readonly code: number;
  readonly message: string;
}

/** Codes of JSON-RPC, and of MCP where it defines one. */
const codes = { transport: -32000, invalidRequest: -32600, headerMismatch: -32020 };

/**
 * The response types that a client accepts. The protocol requires both types. A client that names none, or
 * any, gets what every program can read: one JSON document. Only a client that names a stream gets one.
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

/** The defect in how a message was sent; null when there is none. */
export function findRejection(request: Request, message: unknown): RequestRejection | null {
  const { json, stream } = acceptedTypes(request);
  if (!json && !stream) {
    const message = 'Accept must include application/json, or text/event-stream for progress notifications.';
    return { status: 406, code: codes.transport, message };
  }
  if (Array.isArray(message)) return findBatchRejection(request, message);
  const defect = findMessageDefect(message);
  if (defect) return toRejection(defect);
  return findHeaderRejection(request, message as MessageBody);
}

const toRejection = ({ id, error }: MessageDefect): RequestRejection => ({ status: 400, id, ...error });

function findBatchRejection(request: Request, messages: readonly unknown[]): RequestRejection | null {
  const version = request.get('mcp-protocol-version');
  const hasBatches = version === undefined || version < FIRST_REVISION_WITHOUT_BATCHES;
  if (hasBatches && messages.length > 0) {
    const [defect] = messages.flatMap((message) => findMessageDefect(message) ?? []);
    return defect ? toRejection({ ...defect, id: null }) : null;
  }
  const message = hasBatches
    ? 'A batch must contain at least one message.'
    : `Send one message: revision ${FIRST_REVISION_WITHOUT_BATCHES} removed batches.`;
  return { status: 400, code: codes.invalidRequest, message };
}

interface MessageBody {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly uri?: unknown };
}

/**
 * Revision 2026-07-28 repeats method and name in headers, and a proxy may decide by them. This server uses
 * the body, so they must match.
 */
function findHeaderRejection(request: Request, body: MessageBody): RequestRejection | null {
  const method = request.get('mcp-method');
  const name = request.get('mcp-name');
  const named = body.params?.name ?? body.params?.uri;
  if ((method ?? body.method) === body.method && (name ?? named) === named) return null;
  const message = 'The headers Mcp-Method and Mcp-Name do not match the message.';
  return { status: 400, code: codes.headerMismatch, message };
}
