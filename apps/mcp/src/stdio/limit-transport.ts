import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Failure } from '@switchboard/domain';
import { generationOf } from '../protocol/revisions.js';
import type { AdmitMessage } from './open-stdio-backend.js';

/**
 * `data` contains the failure, as in every other error. Revision 2026-07-28 reserves all codes of JSON-RPC
 * and leaves the others to servers: this is the status over HTTP.
 */
const quotaExceeded = { legacy: -32000, modern: 429, unsupported: -32000 };

/**
 * A transport that forwards only admitted messages, in their order. A request that is not admitted gets a
 * JSON-RPC error, and a notification is dropped.
 */
export function limitTransport(transport: Transport, admit: AdmitMessage): Transport {
  const previousOnMessage = transport.onmessage;
  const previousOnClose = transport.onclose;
  let queue: Promise<unknown> = Promise.resolve();

  const limited: Transport = {
    start: () => transport.start(),
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
  };
  async function forward(...[message, extra]: Parameters<NonNullable<Transport['onmessage']>>) {
    const result = await admit(message);
    if (result.ok) return limited.onmessage?.(message, extra);
    if (!isJSONRPCRequest(message)) return;
    const { failure } = result;
    const error = {
      code: quotaExceeded[generationOf(message)],
      message: failure.message,
      data: dataOf(failure),
    };
    await transport.send({ jsonrpc: '2.0', id: message.id, error });
  }
  transport.onmessage = (message, extra) => {
    previousOnMessage?.(message, extra);
    queue = queue.then(() => forward(message, extra)).catch((error: Error) => limited.onerror?.(error));
  };
  transport.onerror = (error) => limited.onerror?.(error);
  transport.onclose = () => {
    previousOnClose?.();
    limited.onclose?.();
  };
  return limited;
}

const dataOf = ({ code, retryAfterSeconds }: Failure) => ({
  code,
  retryable: true,
  retry_after_seconds: retryAfterSeconds,
});
