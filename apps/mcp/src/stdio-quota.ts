import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Failure } from '@switchboard/domain';
import type { Admit } from './stdio-behind.js';

/** The range that JSON-RPC leaves to servers; what happened stands in `data`, as in every other refusal. */
const OVER_QUOTA = -32000;

/**
 * A transport that hands on only messages that are admitted, in their order. A request that is not admitted is answered with
 * a JSON-RPC error, and a notification is dropped.
 */
export function admitting(transport: Transport, admit: Admit): Transport {
  const watch = transport.onmessage;
  const closed = transport.onclose;
  let before: Promise<unknown> = Promise.resolve();

  const admitted: Transport = {
    start: () => transport.start(),
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
  };
  async function handOn(...[message, extra]: Parameters<NonNullable<Transport['onmessage']>>) {
    const result = await admit(message);
    if (result.ok) return admitted.onmessage?.(message, extra);
    if (!isJSONRPCRequest(message)) return;
    const { failure } = result;
    const error = { code: OVER_QUOTA, message: failure.message, data: dataOf(failure) };
    await transport.send({ jsonrpc: '2.0', id: message.id, error });
  }
  transport.onmessage = (message, extra) => {
    watch?.(message, extra);
    before = before.then(() => handOn(message, extra)).catch((error: Error) => admitted.onerror?.(error));
  };
  transport.onerror = (error) => admitted.onerror?.(error);
  transport.onclose = () => {
    closed?.();
    admitted.onclose?.();
  };
  return admitted;
}

const dataOf = ({ code, retryAfterSeconds }: Failure) => ({
  code,
  retryable: true,
  retry_after_seconds: retryAfterSeconds,
});
