import type { Service } from '@switchboard/bootstrap';
import { failures, ok, refuse, type Result, failure, refuseWith, type Failure } from '@switchboard/domain';
import type { ApiKey } from '@switchboard/domain/access';
import { ReceivedFile, storeMedia } from '@switchboard/domain/media';
import type { OperationResponse, Operation } from '@switchboard/operations';
import type { Request, Response } from 'express';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { once } from 'node:events';
import { readBody } from '../read-body.js';
import { readInput } from '../read-input.js';
import { discardUnreadBody } from './discard-unread-body.js';
import { readRequestBytes } from './read-request-bytes.js';

/**
 * The input of an operation that accepts a file: received into the store after the key is authorized, and
 * parsed afterwards.
 */
export function receiveMedia(
  { ports }: Pick<Service, 'ports'>,
  operation: Operation,
  request: Request,
  response: Response,
) {
  const received: ReceivedFile[] = [];
  async function storeFile(
    { workspaceId }: Pick<ApiKey, 'workspaceId'>,
    name: string,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<Result<unknown>> {
    if (name !== 'file') return refuse('request.invalid', 'Send the file in the field `file`.');
    const stored = await storeMedia(ports, bytes, { workspaceId });
    if (!stored.ok) return stored;
    const file = new ReceivedFile(stored.value);
    received.push(file);
    return ok(file);
  }
  async function readBodyOrFile(key: Pick<ApiKey, 'workspaceId'>): Promise<Result<Record<string, unknown>>> {
    if (request.is('multipart/form-data')) {
      return readMultipart(request, (name, bytes) => storeFile(key, name, bytes));
    }
    const body = await readBody(request, response);
    return body.ok || body.failure.code !== 'request.unsupported_media_type'
      ? body
      : refuse('request.unsupported_media_type', 'Send multipart/form-data with a file, or JSON with a url.');
  }

  return {
    readInput: (key: Pick<ApiKey, 'workspaceId'>): Promise<Result<unknown>> =>
      readInput(operation, request, () => readBodyOrFile(key)),
    /**
     * Before the response is written: deletes the received file when it is not needed, because the request was
     * rejected or is a replay.
     */
    async settle({ replayed, failure: problem }: OperationResponse) {
      discardUnreadBody(request, response);
      const isUnused =
        replayed || (problem !== null && (problem.effect ?? failures[problem.code].effect) === 'none');
      if (isUnused) await ports.mediaFiles.remove(received.map(({ stored }) => stored.name));
    },
  };
}

const limits = { fields: 20, fieldSize: 64 * 1024, files: 2, parts: 25, headerPairs: 50 };

type MultipartFailureCode = 'request.invalid' | 'request.too_large';

/**
 * Reads multipart/form-data with at most one file, which is streamed to `take`; an error of `take` ends the
 * reading. The declared name and type of the file are ignored.
 */
async function readMultipart(
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
