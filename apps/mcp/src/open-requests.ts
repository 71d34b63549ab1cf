type RequestId = string | number;

/** All that is read here of a JSON-RPC message: a request has a method and an id, an answer has no method. */
interface Message {
  readonly method?: string;
  readonly id?: RequestId | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** A transport, as far as it is watched. */
interface Watched<Sent extends Message> {
  onmessage?: ((message: Sent) => void) | undefined;
  send: (message: Sent) => Promise<void>;
}

/**
 * Watches a transport that is not connected yet, and says when everything that was asked has been answered: what was
 * piped in is answered also when the pipe ends at once.
 */
export function openRequests<Sent extends Message>(
  transport: Watched<Sent>,
): {
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

  transport.onmessage = (message) => {
    if (message.method !== undefined && message.id !== undefined) open.add(message.id);
    // A request that is taken back gets no answer.
    const takenBack = cancelled(message);
    if (takenBack !== undefined) close(takenBack);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    await send(message);
    if (message.method === undefined && message.id !== undefined) close(message.id);
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

const cancelled = ({ method, params }: Message): RequestId | undefined =>
  method === 'notifications/cancelled' ? (params?.['requestId'] as RequestId | undefined) : undefined;
