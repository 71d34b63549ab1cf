import type { Request, Response } from 'express';

/**
 * How long the rest of a body is accepted after the response, so that a client that sends before it reads
 * receives the response.
 */
const GRACE_MS = 2000;

/** The unread rest of a body is not needed: the connection closes after the response. */
export function discardUnreadBody(request: Request, response: Response): void {
  if (request.complete) return;
  if (!response.headersSent) response.set('Connection', 'close');
  request.resume();
  response.once('finish', () => {
    setTimeout(() => {
      if (!request.complete) request.destroy();
    }, GRACE_MS).unref();
  });
}
