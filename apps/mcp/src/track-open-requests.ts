type RequestId = string | number;

/** All that is read here of a JSON-RPC message: a request has a method and an id, an answer has no method. */
interface JsonRpcMessage {
  readonly method?: string;
  readonly id?: RequestId | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A transport, as far as it is watched. */
interface WatchedTransport<Sent extends JsonRpcMessage> {
  onmessage?: ((message: Sent) => void) | undefined;
  send: (message: Sent) => Promise<void>;
}

/**
 * Watches a transport that is not connected yet, and says when everything that was asked has been answered: what was
 * piped in is answered also when the pipe ends at once.
 */
export function trackOpenRequests<Sent extends JsonRpcMessage>(
  transport: WatchedTransport<Sent>,
): {
  allResponded(): Promise<void>;
  /** Resolves when the first answer is on its way. */
  readonly firstResponse: Promise<void>;
} {
  const open = new Set<RequestId>();
  let resolveAll: (() => void) | null = null;
  let resolveFirst = () => {};
  const firstResponse = new Promise<void>((resolve) => (resolveFirst = resolve));
  const close = (id: RequestId) => {
    open.delete(id);
    if (open.size === 0) resolveAll?.();
  };

  transport.onmessage = (message) => {
    if (message.method !== undefined && message.id !== undefined) open.add(message.id);
    // A request that is taken back gets no answer.
    const cancelledId = cancelledRequestId(message);
    if (cancelledId !== undefined) close(cancelledId);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    await send(message);
    if (message.method === undefined && message.id !== undefined) close(message.id);
    resolveFirst();
  };
  return {
    firstResponse,
    allResponded: () =>
      open.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            resolveAll = resolve;
          }),
  };
}

const cancelledRequestId = ({ method, params }: JsonRpcMessage): RequestId | undefined =>
  method === 'notifications/cancelled' ? (params?.['requestId'] as RequestId | undefined) : undefined;
