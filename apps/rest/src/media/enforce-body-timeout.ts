import type { RequestHandler } from 'express';

/** The default of Node.js for every request; the server itself has to allow more time for uploads. */
const BODY_TIMEOUT_MS = 300_000;
/** Enough for an upload of a gigabyte at 2.4 Mbit/s. */
export const UPLOAD_TIMEOUT_MS = 3_600_000;

const uploads = /^\/(v1\/social\/media|media\/uploads\/[^/]+)$/;

/** Ends requests whose body takes too long, so that slow clients cannot hold connections. */
export const enforceBodyTimeout: RequestHandler = (request, response, next) => {
  const isUpload = (request.method === 'POST' || request.method === 'PUT') && uploads.test(request.path);
  if (!isUpload && hasBody(request.headers)) {
    const timer = setTimeout(() => {
      if (!request.complete) request.destroy();
    }, BODY_TIMEOUT_MS).unref();
    request.once('close', () => clearTimeout(timer));
    response.once('close', () => clearTimeout(timer));
  }
  next();
};

const hasBody = (headers: Readonly<Record<string, unknown>>) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
