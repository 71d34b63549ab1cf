import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { failure, ok, refuseWith, type Failure, type Result } from '@switchboard/domain';
import type { Request } from 'express';
import { once } from 'node:events';
import { readRequestBytes } from './read-request-bytes.js';

const limits = { fields: 20, fieldSize: 64 * 1024, files: 2, parts: 25, headerPairs: 50 };

type MultipartFailureCode = 'request.invalid' | 'request.too_large';

/**
 * Reads multipart/form-data with at most one file, which is streamed to `take`; an error of `take` ends the
 * reading. The declared name and type of the file are ignored.
 */
export async function readMultipart(
  request: Request,
  receiveFile: (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<Result<unknown>>,
): Promise<Result<Record<string, unknown>>> {
  const fields = new Map<string, unknown>();
  const result = Promise.withResolvers<Result<Record<string, unknown>>>();
  const refuse = (multipartFailure: Failure<MultipartFailureCode>) =>
    result.resolve(refuseWith(multipartFailure));
  let receiving: Promise<void> = Promise.resolve();
  let file: NodeJS.ReadableStream | null = null;

  const parser = parserOf(request);
  if (!parser) return refuseWith(malformed());
  parser.on('file', (name, stream) => {
    // An error without a listener would end the process.
    stream.on('error', () => undefined);
    if (file) return refuse(failure('request.invalid', 'Send one file.'));
    file = stream;
    receiving = receiveFile(name, stream).then(
      (received) => (received.ok ? void fields.set(name, received.value) : result.resolve(received)),
      (error: unknown) => result.reject(error),
    );
  });
  parser.on('field', (name, value, _nameTruncated, valueTruncated) => {
    if (valueTruncated) return refuse(failure('request.too_large', 'A field exceeds 64 KiB.'));
    if (fields.has(name)) return refuse(failure('request.invalid', 'A field appears twice.'));
    fields.set(name, value);
  });
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    parser.on(limit, () => refuse(failure('request.invalid', 'Send one file and few fields.')));
  parser.on('error', () => refuse(malformed()));
  parser.on('finish', () => void receiving.then(() => result.resolve(ok(Object.fromEntries(fields)))));

  let isFinished = false;
  const pump = async () => {
    for await (const chunk of readRequestBytes(request)) {
      if (isFinished) return;
      if (!parser.write(chunk)) await Promise.race([once(parser, 'drain'), result.promise]);
    }
    parser.end();
  };
  pump().catch(() =>
    refuse(failure('request.invalid', 'The upload ended or timed out before it was complete.')),
  );
  try {
    return await result.promise;
  } finally {
    isFinished = true;
    // Signals to the consumer of the file that no more data follows, so that it deletes the partial file.
    (file as { destroy?: (error: Error) => void } | null)?.destroy?.(new Error('the request has ended'));
    await receiving;
  }
}

const malformed = () => failure('request.invalid', 'The body is not valid multipart/form-data (RFC 7578).');

function parserOf(request: Request): BusboyInstance | null {
  try {
    return new Busboy({ headers: request.headers as BusboyHeaders, limits });
  } catch {
    return null;
  }
}
