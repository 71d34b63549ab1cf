type RequestId = string | number;

/**
 * The fields of a JSON-RPC message that are read here: a request has a method and an id, a response has no
 * method.
 */
interface JsonRpcMessage {
  readonly method?: string;
  readonly id?: RequestId | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** The observed part of a transport. */
interface WatchedTransport<Sent extends JsonRpcMessage> {
  onmessage?: ((message: Sent) => void) | undefined;
  send: (message: Sent) => Promise<void>;
}

/**
 * Observes a transport that is not connected yet, and reports when every request has a response: piped
 * requests get a response even when the pipe closes immediately.
 */
export function trackOpenRequests<Sent extends JsonRpcMessage>(
  transport: WatchedTransport<Sent>,
): {
  allResponded(): Promise<void>;
  /** Resolves when the first response has been sent. */
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
    // A canceled request gets no response.
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
