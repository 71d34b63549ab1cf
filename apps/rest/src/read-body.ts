import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { failure, ok, refuseWith, type Failure, type Result } from '@switchboard/domain';
import express, { type Request, type Response } from 'express';
import { findDuplicateKey } from './duplicate-key.js';

const MAX_BYTES = 1024 * 1024;
/** The bytes of a body between its arrival and the end of `readBody`. */
const received = new WeakMap<IncomingMessage, Buffer>();
const parserOf = (limit: number) =>
  express.json({
    limit,
    // Any JSON value is parsed, so that a value that is not an object is distinguished from invalid JSON.
    strict: false,
    type: () => true,
    verify: (request, _response, bytes) => {
      if (!isUtf8(bytes)) throw new Error('not UTF-8');
      received.set(request, bytes);
    },
  });
const parse = parserOf(MAX_BYTES);

type BodyCode =
  | 'request.malformed_json'
  | 'request.too_large'
  | 'request.unsupported_media_type'
  | 'request.invalid';

/** Reads a JSON object, once the key is authorized. No body is `{}`; a body must be declared as JSON. */
export async function readBody(
  request: Request,
  response: Response,
  maxBytes = MAX_BYTES,
): Promise<Result<Record<string, unknown>, BodyCode>> {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody) return ok({});
  if (!request.is(['application/json', 'application/*+json'])) {
    return refuseWith(failure('request.unsupported_media_type', 'Send the body as application/json.'));
  }
  if (!isUtf8Charset(request.headers['content-type'])) return refuseWith(notUtf8());
  const error = await new Promise<unknown>((resolve) =>
    (maxBytes === MAX_BYTES ? parse : parserOf(maxBytes))(request, response, resolve),
  );
  if (error) return refuseWith(toBodyFailure(error, maxBytes));
  const body: unknown = request.body;
  if (body === undefined) return ok({});
  const duplicate = findDuplicateKey(received.get(request)?.toString() ?? '');
  received.delete(request);
  if (duplicate !== null) {
    const message = 'appears more than once in its object. Send each key once.';
    return refuseWith(
      failure('request.invalid', `${duplicate} ${message}`, {
        problems: [{ path: duplicate, code: 'field.duplicate', message }],
      }),
    );
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return refuseWith(failure('request.invalid', 'The body must be a JSON object.'));
  }
  return ok(body as Record<string, unknown>);
}

function toBodyFailure(error: unknown, maxBytes: number): Failure<BodyCode> {
  const { type } = error as { type?: string };
  switch (type) {
    case 'entity.too.large':
      return failure('request.too_large', `The body exceeds ${maxBytes} bytes.`);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return notUtf8();
    case 'entity.parse.failed':
    case 'entity.verify.failed':
      return failure('request.malformed_json', 'The body is not valid JSON.');
    default:
      return failure(
        'request.invalid',
        'The body could not be read. Check Content-Length and Content-Encoding.',
      );
  }
}

/** JSON between programs is UTF-8 (RFC 8259); the parser would accept other Unicode encodings. */
const isUtf8Charset = (contentType = ''): boolean => {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
};

const notUtf8 = () =>
  failure('request.unsupported_media_type', 'Send UTF-8 JSON, plain or compressed with gzip, deflate or br.');
