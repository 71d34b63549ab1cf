import type { ServerResponse } from 'node:http';

/** A transport, as the library that speaks MCP wants one. */
interface MessageTransport<Message extends object> {
  onmessage?: ((message: Message) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  start(): Promise<void>;
  send(message: Message): Promise<void>;
  close(): Promise<void>;
}

/**
 * The way of one question whose one answer is the whole response. The SDK's own transport makes a web request and its
 * streams of each request of Node's, and Node's response of theirs, which costs more than most questions do. As there,
 * what is not the answer (progress, a question to the client) has no place in it.
 */
export function singleResponseTransport<Message extends object>(response: ServerResponse): MessageTransport<Message> {
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
  // A client that leaves aborts what it asked for.
  response.once('close', () => {
    if (!response.headersSent) transport.onclose?.();
  });
  return transport;
}
