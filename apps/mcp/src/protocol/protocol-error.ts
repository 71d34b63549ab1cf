/**
 * The reasons why the protocol itself rejects a request, before or outside a tool call. The adapters to the
 * SDK map them to the error codes of the revision.
 */
export type ProtocolErrorKind =
  | 'invalid_request'
  | 'invalid_params'
  | 'method_not_found'
  | 'not_found'
  | 'internal';

/**
 * Thrown by protocol handlers; anything else that is thrown is an internal error, reported without details.
 */
export class ProtocolError extends Error {
  readonly kind: ProtocolErrorKind;
  /** Machine-readable details. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(kind: ProtocolErrorKind, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.kind = kind;
    this.data = data;
  }
}

const codes: Readonly<Record<ProtocolErrorKind, number>> = {
  invalid_request: -32600,
  invalid_params: -32602,
  method_not_found: -32601,
  // Up to revision 2025-11-25; version 2 of the SDK sends its successor, -32602.
  not_found: -32002,
  internal: -32603,
};

/**
 * The SDK sends code, message and data of everything that is thrown: for errors that are not ours, none of
 * that is sent.
 */
export function toJsonRpcError(error: unknown): Error {
  const { kind, message, data } =
    error instanceof ProtocolError ? error : new ProtocolError('internal', 'Internal error.');
  return Object.assign(new Error(message), { code: codes[kind], ...(data && { data }) });
}
