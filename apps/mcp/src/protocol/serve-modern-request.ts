import type { Response } from 'express';
import { openExchange, type ModernServer, type SendMessage } from './modern-server.js';
import type { AcceptedTypes } from './request-rules.js';

/** The statuses that the protocol assigns to its errors; any other response is 200. */
const statusByCode: Readonly<Record<number, number>> = { [-32601]: 404, [-32021]: 400 };

/** A request without a valid envelope; invalid parameters of a method are reported with status 200. */
const INVALID_PARAMS = -32602;

/** Serves one request of revision 2026-07-28. A client that disconnects aborts it. */
export async function serveModernRequest(
  response: Response,
  accepted: AcceptedTypes,
  message: object,
  server: ModernServer,
): Promise<void> {
  const exchange = await openExchange(server, responseWriter(response, accepted));
  response.once('close', () => void exchange.close());
  exchange.deliver(message);
}

/**
 * Writes the messages of the server: one JSON document, or a stream when a notification comes first and the
 * client accepts one. Otherwise notifications are dropped.
 */
function responseWriter(response: Response, accepted: AcceptedTypes): SendMessage {
  const writeEvent = (message: object) => {
    if (!response.headersSent) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    }
    response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  };
  return (message, isRejection) => {
    if ('method' in message) {
      if (accepted.stream) writeEvent(message);
      return;
    }
    const code = 'error' in message ? message.error.code : 0;
    const status = isRejection && code === INVALID_PARAMS ? 400 : (statusByCode[code] ?? 200);
    if (response.headersSent || (status === 200 && !accepted.json)) {
      writeEvent(message);
      return void response.end();
    }
    const body = JSON.stringify(message);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(status, headers).end(body);
  };
}
