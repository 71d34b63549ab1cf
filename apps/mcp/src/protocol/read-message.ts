import { failure, ok, refuseWith, type Failure, type Result } from '@switchboard/domain';
import express, { type Request, type Response } from 'express';

const MAX_BYTES = 1024 * 1024;
const parse = express.json({ limit: MAX_BYTES, strict: true, type: () => true });

type MessageCode = 'request.malformed_json' | 'request.too_large' | 'request.unsupported_media_type';

/** Reads the JSON-RPC message, or batch of messages, of a POST. */
export async function readMessage(
  request: Request,
  response: Response,
): Promise<Result<unknown, MessageCode>> {
  if (request.is('application/json') === false) return refuseWith(unsupportedMediaType());
  if (!isUtf8Charset(request.headers['content-type'])) return refuseWith(unsupportedMediaType());
  const error = await new Promise<unknown>((resolve) => parse(request, response, resolve));
  if (error) return refuseWith(toReadFailure(error));
  // Without a body the parser does not run.
  return request.body === undefined ? refuseWith(malformedJson()) : ok<unknown>(request.body);
}

function toReadFailure(error: unknown): Failure<MessageCode> {
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
      return failure('request.too_large', `The body exceeds ${MAX_BYTES} bytes.`);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return unsupportedMediaType();
    default:
      return malformedJson();
  }
}

const malformedJson = () => failure('request.malformed_json', 'The body is not valid JSON.');

const unsupportedMediaType = () =>
  failure('request.unsupported_media_type', 'Send the body as application/json, in UTF-8.');

/** JSON between programs is UTF-8 (RFC 8259); the parser would accept other Unicode encodings. */
const isUtf8Charset = (contentType = ''): boolean => {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
};
