import type { NextFunction, Request, RequestHandler, Response } from 'express';

const LOOPBACK_HOST = /^(127(\.\d+){3}|localhost|\[::1\])(:\d+)?$/;
const LOOPBACK_ADDRESS = /^(127\.|::1$|::ffff:127\.)/;

/** Rejects host names that a third party's DNS points here (DNS rebinding). */
export const requireKnownHost: RequestHandler = (
  request: Request,
  response: Response,
  next: NextFunction,
) => {
  if (LOOPBACK_HOST.test(request.headers.host ?? '')) return next();
  response
    .status(421)
    .json({ error: { code: 'host_unknown', message: 'The sandbox accepts loopback host names only.' } });
};

/**
 * The control API is for this machine only, and pages of other sites must not reach it through a local
 * browser (CSRF).
 */
export const requireLocalCaller: RequestHandler = (
  request: Request,
  response: Response,
  next: NextFunction,
) => {
  if (LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? '') && isOwnPage(request)) return next();
  response
    .status(403)
    .json({ error: { code: 'forbidden', message: 'The control API accepts local requests only.' } });
};

function isOwnPage({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin === undefined || headers.origin === `http://${headers.host}`;
}
