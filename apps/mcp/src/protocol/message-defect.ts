import {
  ErrorCode,
  JSONRPCNotificationSchema,
  JSONRPCRequestSchema,
  RequestIdSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';

/** The limit of a message, over HTTP and stdio. */
export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Why a value is not a JSON-RPC request or notification, as the error to respond with. */
export interface MessageDefect {
  /** Null where the request cannot be identified. */
  readonly id: RequestId | null;
  readonly error: { readonly code: number; readonly message: string };
}

export const messageDefect = (
  message: string,
  id: RequestId | null = null,
  code: ErrorCode = ErrorCode.InvalidRequest,
): MessageDefect => ({ id, error: { code, message } });

/** Null for a well-formed message, and for a response, which gets no response of its own. */
export function findMessageDefect(value: unknown): MessageDefect | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return messageDefect('A JSON-RPC message must be an object.');
  }
  if (!('method' in value) && ('result' in value || 'error' in value)) return null;
  const { error } = ('id' in value ? JSONRPCRequestSchema : JSONRPCNotificationSchema).safeParse(value);
  if (!error) return null;
  const fields = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')],
  );
  const id = RequestIdSchema.safeParse('id' in value ? value.id : null);
  return messageDefect(
    `Not a JSON-RPC 2.0 message: check ${fields.slice(0, 5).join(', ')}.`,
    id.success ? id.data : null,
  );
}
