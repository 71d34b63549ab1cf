/**
 * The reasons why the protocol itself rejects a request, before or outside a tool call. The adapter to the
 * SDK maps them to the error codes of the negotiated revision.
 */
export type ProtocolErrorKind = 'invalid_request' | 'invalid_params' | 'not_found' | 'internal';

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
