import type { Request } from 'express';
import { findMessageDefect, type MessageDefect } from './message-defect.js';
import { generationOf, statedRevision, unsupportedRevision } from './revisions.js';

/** Why the transport rejects a message: the HTTP status, and the JSON-RPC error. */
interface RequestRejection {
  readonly status: 400 | 406;
  readonly id?: MessageDefect['id'];
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

/** Codes of JSON-RPC, and of MCP where it defines one. */
const codes = { transport: -32000, invalidRequest: -32600, headerMismatch: -32020 };

/** Of the two response types, those that a client accepts. */
export interface AcceptedTypes {
  readonly json: boolean;
  readonly stream: boolean;
}

/**
 * The response types that a client accepts. The protocol requires both types. A client that names none, or
 * any, gets what every program can read: one JSON document. Only a client that names a stream gets one.
 */
export function acceptedTypes(request: Request): AcceptedTypes {
  return {
    json: request.accepts('application/json') !== false,
    stream:
      /text\/event-stream/i.test(request.get('accept') ?? '') &&
      request.accepts('text/event-stream') !== false,
  };
}

const FIRST_REVISION_WITHOUT_BATCHES = '2025-06-18';

/** The defect in how a message was sent; null when there is none. */
export function findRejection(
  request: Request,
  { json, stream }: AcceptedTypes,
  message: unknown,
): RequestRejection | null {
  if (!json && !stream) {
    const message = 'Accept must include application/json, or text/event-stream for progress notifications.';
    return { status: 406, code: codes.transport, message };
  }
  if (Array.isArray(message)) return findBatchRejection(request, message);
  const defect = findMessageDefect(message);
  if (defect) return toRejection(defect);
  const mismatch = findHeaderRejection(request, message as MessageBody);
  if (mismatch) return mismatch;
  const header = request.get('mcp-protocol-version');
  return generationOf(message, header) === 'unsupported'
    ? { status: 400, id: idOf(message), ...unsupportedRevision(message, header) }
    : null;
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
  readonly id?: MessageDefect['id'];
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly uri?: unknown };
}

const idOf = (message: unknown): MessageDefect['id'] => (message as MessageBody).id ?? null;

/** The methods whose requests repeat in `Mcp-Name` what they address. */
const namedMethods: readonly unknown[] = ['tools/call', 'prompts/get', 'resources/read'];

/**
 * Revision 2026-07-28 repeats its number, the method and the name in headers, and a proxy may decide by them.
 * This server uses the body, so they must match. In that revision a request must have them.
 */
function findHeaderRejection(request: Request, body: MessageBody): RequestRejection | null {
  const version = request.get('mcp-protocol-version');
  const stated = statedRevision(body);
  const method = request.get('mcp-method');
  const name = request.get('mcp-name');
  const named = body.params?.name ?? body.params?.uri;
  const isModernRequest = 'id' in body && generationOf(body, version) === 'modern';
  const requiresName = isModernRequest && namedMethods.includes(body.method) && typeof named === 'string';
  const mismatches = [
    [
      'MCP-Protocol-Version',
      stated !== undefined && (version !== undefined || isModernRequest) && version !== stated,
    ],
    ['Mcp-Method', (method !== undefined || isModernRequest) && method !== body.method],
    ['Mcp-Name', (name !== undefined || requiresName) && decodeHeader(name) !== named],
  ].flatMap(([header, isMismatch]) => (isMismatch === true ? [header] : []));
  if (mismatches.length === 0) return null;
  const message = `These headers are missing or do not match the message: ${mismatches.join(', ')}.`;
  return { status: 400, id: idOf(body), code: codes.headerMismatch, message };
}

/** Names that a header cannot carry as they are come as Base64 of UTF-8; undefined for one that is malformed. */
function decodeHeader(value: string | undefined): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? '')?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}
