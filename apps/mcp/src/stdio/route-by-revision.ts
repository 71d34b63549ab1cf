import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { generationOf, unsupportedRevision } from '../protocol/revisions.js';

/** One request of revision 2026-07-28 that is being served. */
interface ModernExchange {
  deliver(message: object): void;
  close(): Promise<void>;
}

/** Opens the exchange of one request; the first call loads what serves the revision. */
type OpenModernExchange = (send: (message: object) => void) => Promise<ModernExchange>;

/**
 * Serves each message in its own revision: requests that state 2026-07-28 each by themselves, everything else
 * by the server that is connected to the returned transport. A client may mix both.
 */
export function routeByRevision(transport: Transport, openModernExchange: OpenModernExchange): Transport {
  const previousOnClose = transport.onclose;
  const exchanges = new Map<RequestId, Promise<ModernExchange>>();
  const legacy: Transport = {
    start: () => transport.start(),
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
  };

  function serve(request: JSONRPCRequest) {
    const exchange = openModernExchange((message) => {
      if ('id' in message) exchanges.delete(request.id);
      void transport.send(message as JSONRPCMessage);
    });
    exchanges.set(request.id, exchange);
    exchange.then(
      (open) => open.deliver(request),
      (error: Error) => {
        exchanges.delete(request.id);
        legacy.onerror?.(error);
        const internal = { code: ErrorCode.InternalError, message: 'Internal error' };
        void transport.send({ jsonrpc: '2.0', id: request.id, error: internal });
      },
    );
  }

  /** Whether the message cancels a request of this revision. */
  function cancel(message: JSONRPCMessage): boolean {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return false;
    const id = message.params?.['requestId'] as RequestId;
    const exchange = exchanges.get(id);
    if (!exchange) return false;
    exchanges.delete(id);
    void exchange.then((open) => open.close());
    return true;
  }

  transport.onmessage = (message, extra) => {
    if (cancel(message)) return;
    const generation = generationOf(message);
    if (generation === 'legacy') return legacy.onmessage?.(message, extra);
    if (!isJSONRPCRequest(message)) return;
    if (generation === 'modern') return serve(message);
    void transport.send({ jsonrpc: '2.0', id: message.id, error: unsupportedRevision(message) });
  };
  transport.onerror = (error) => legacy.onerror?.(error);
  transport.onclose = () => {
    previousOnClose?.();
    for (const exchange of exchanges.values()) void exchange.then((open) => open.close());
    legacy.onclose?.();
  };
  return legacy;
}
