import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Service } from '@switchboard/bootstrap';
import { failure, notFound, type Failure } from '@switchboard/domain';
import { mediaTypes, receiveUpload } from '@switchboard/domain/media';
import type { LinkedFile } from '@switchboard/domain/ports';
import { presentMedia } from '@switchboard/operations';
import express, { type Request, type Response, type Router } from 'express';
import { readRequestBytes } from '../media/read-request-bytes.js';
import { discardUnreadBody } from '../media/discard-unread-body.js';
import { sendProblem } from '../problem.js';

/** Media without a key: the token in the URL is the permission. */
export function mediaRoutes({ ports }: Pick<Service, 'ports'>): Router {
  const router = express.Router();

  router.put('/media/uploads/:token', async (request, response) => {
    const coding = request.headers['content-encoding'] ?? 'identity';
    const received =
      coding === 'identity'
        ? await receiveUpload(ports, request.params.token, readRequestBytes(request))
        : { ok: false as const, failure: unsupportedEncoding() };
    discardUnreadBody(request, response);
    if (!received.ok) return sendFailure(response, received.failure);
    response.json(presentMedia(received.value));
  });

  router.get('/media/:token', async (request, response) => {
    const file = ports.mediaLinks.readPublic(request.params.token);
    if (!file) return sendFailure(response, notFound('media').failure);
    await send(request, response, file);
  });

  async function send(
    request: Request,
    response: Response,
    { name, type, bytes }: LinkedFile,
  ): Promise<void> {
    const range = rangeOf(request, bytes);
    const stream = await ports.mediaFiles.read(name, range === 'beyond' ? undefined : range);
    if (!stream) return sendFailure(response, notFound('media').failure);
    // Destroying an unread stream closes its file; the wrapper that `from` creates would not.
    const body = stream instanceof Readable ? stream : Readable.from(stream);
    response.set({
      'Accept-Ranges': 'bytes',
      'Content-Type': type,
      'Content-Disposition': `inline; filename="media.${mediaTypes[type] ?? 'bin'}"`,
      // In a browser the response runs nothing, loads nothing and cannot be embedded elsewhere.
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
    });
    if (range === 'beyond') {
      body.destroy();
      response.status(416).set('Content-Range', `bytes */${bytes}`).end();
      return;
    }
    if (range) response.status(206).set('Content-Range', `bytes ${range.start}-${range.end}/${bytes}`);
    response.set('Content-Length', String(range ? range.end - range.start + 1 : bytes));
    if (request.method === 'HEAD') {
      body.destroy();
      response.end();
      return;
    }
    // A client that disconnects needs no more; a response that breaks off is detected there by its length.
    await pipeline(body, response).catch(() => response.destroy());
  }
  return router;
}

/** A single range; several ranges and invalid ones get the complete content, as RFC 9110 allows. */
function rangeOf(
  request: Request,
  bytes: number,
): { readonly start: number; readonly end: number } | 'beyond' | undefined {
  const ranges = request.range(bytes);
  if (ranges === -1) return 'beyond';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1)
    return undefined;
  return ranges[0];
}

const unsupportedEncoding = () =>
  failure('request.unsupported_media_type', 'Send the file without Content-Encoding.');

const sendFailure = (response: Response, problem: Failure): void =>
  sendProblem(response, problem, response.locals['requestId'] as string);
