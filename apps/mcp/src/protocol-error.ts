/**
 * Why the protocol itself refuses, before or beside any tool: its own kinds of error, which the seam to the SDK turns into
 * the numbers of the revision that is spoken.
 */
export type ProtocolErrorKind = 'invalid_request' | 'invalid_params' | 'not_found' | 'internal';

/** Thrown by what answers the protocol; everything else that is thrown is a fault of ours, and told as nothing but that. */
export class ProtocolError extends Error {
  readonly kind: ProtocolErrorKind;
  /** What a program can read of it. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(kind: ProtocolErrorKind, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.kind = kind;
    this.data = data;
  }
}
