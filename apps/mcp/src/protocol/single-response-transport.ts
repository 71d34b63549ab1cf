import type { ServerResponse } from 'node:http';

/** A transport as the protocol library requires it. */
interface MessageTransport<Message extends object> {
  onmessage?: ((message: Message) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  start(): Promise<void>;
  send(message: Message): Promise<void>;
  close(): Promise<void>;
}

/**
 * The transport of one request whose one response is the whole HTTP response. The SDK's own transport builds
 * a web request and its streams from each request of Node.js, and the response of Node.js from theirs, which
 * costs more than most calls. As in the SDK, it cannot carry anything but the response (progress, a prompt to
 * the client).
 */
export function singleResponseTransport<Message extends object>(
  response: ServerResponse,
): MessageTransport<Message> {
  const transport: MessageTransport<Message> = {
    start: () => Promise.resolve(),
    async send(message) {
      if ('method' in message || response.headersSent) return;
      const body = JSON.stringify(message);
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
      response.writeHead(200, headers).end(body);
    },
    async close() {
      transport.onclose?.();
    },
  };
  // A client that disconnects aborts its call.
  response.once('close', () => {
    if (!response.headersSent) transport.onclose?.();
  });
  return transport;
}
