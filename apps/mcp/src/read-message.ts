import { failure, ok, refused, type Failure, type Result } from '@switchboard/domain';
import express, { type Request, type Response } from 'express';

const MAX_BYTES = 1024 * 1024;
const parse = express.json({ limit: MAX_BYTES, strict: true, type: () => true });

type MessageCode = 'request.malformed_json' | 'request.too_large' | 'request.unsupported_media_type';

/** Reads the JSON-RPC message, or the batch of them, that a POST carries. */
export async function readMessage(
  request: Request,
  response: Response,
): Promise<Result<unknown, MessageCode>> {
  if (request.is('application/json') === false) return refused(notJson());
  if (!saysUtf8(request.headers['content-type'])) return refused(notJson());
  const error = await new Promise<unknown>((resolve) => parse(request, response, resolve));
  if (error) return refused(whatIsWrong(error));
  // Where a request says of no body at all, nothing is parsed.
  return request.body === undefined ? refused(noJson()) : ok<unknown>(request.body);
}

function whatIsWrong(error: unknown): Failure<MessageCode> {
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
      return failure('request.too_large', `The body may hold ${MAX_BYTES} bytes.`);
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return notJson();
    default:
      return noJson();
  }
}

const noJson = () => failure('request.malformed_json', 'The body is not valid JSON.');

const notJson = () =>
  failure('request.unsupported_media_type', 'Send the body as application/json, in UTF-8.');

/** JSON between programs is UTF-8 (RFC 8259); the parser would take any of its relatives. */
const saysUtf8 = (contentType = ''): boolean => {
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(contentType)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
};
