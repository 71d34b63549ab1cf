import type { Request, Response } from 'express';

/** How long the rest of a body is let in after the answer, so that a client which sends before it reads sees the answer. */
const GRACE_MS = 2000;

/** What is not read of a body is of no use to anybody: the connection ends after the answer. */
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
