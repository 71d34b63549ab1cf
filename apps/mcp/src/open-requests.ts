import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

/**
 * Watches a transport that is not connected yet, and says when everything that was asked has been answered: what was
 * piped in is answered also when the pipe ends at once.
 */
export function openRequests(transport: Transport): {
  answered(): Promise<void>;
  /** Resolves when the first answer is on its way. */
  readonly first: Promise<void>;
} {
  const open = new Set<RequestId>();
  let tell: (() => void) | null = null;
  let tellFirst = () => {};
  const first = new Promise<void>((resolve) => (tellFirst = resolve));
  const close = (id: RequestId) => {
    open.delete(id);
    if (open.size === 0) tell?.();
  };

  transport.onmessage = (message: JSONRPCMessage) => {
    if ('method' in message && 'id' in message) open.add(message.id);
    // A request that is taken back gets no answer.
    const takenBack = cancelled(message);
    if (takenBack !== undefined) close(takenBack);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    await send(message, options);
    if (!('method' in message) && message.id !== undefined) close(message.id);
    tellFirst();
  };
  return {
    first,
    answered: () =>
      open.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            tell = resolve;
          }),
  };
}

const cancelled = (message: JSONRPCMessage): RequestId | undefined =>
  'method' in message && message.method === 'notifications/cancelled'
    ? (message.params?.['requestId'] as RequestId | undefined)
    : undefined;
