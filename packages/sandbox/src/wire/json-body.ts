import type { NextFunction, Request, RequestHandler, Response } from 'express';
import express from 'express';
import { refusal } from './response.js';

const parse = express.json({ limit: '64kb', type: ['application/json', 'application/*+json'] });

/** Reads a JSON body; other content types are rejected, an empty body is accepted. */
export const jsonBody: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && !request.is(['application/json', 'application/*+json'])) {
    const { status, body } = refusal(415, 'unsupported_media_type', 'Send JSON.');
    response.status(status).json(body.type === 'json' ? body.value : undefined);
    return;
  }
  parse(request, response, next);
};
