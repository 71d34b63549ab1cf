import type { Service } from '@switchboard/bootstrap';
import { failures, ok, refuse, type Result } from '@switchboard/domain';
import type { ApiKey } from '@switchboard/domain/access';
import { ReceivedFile, storeMedia } from '@switchboard/domain/media';
import type { OperationResponse, Operation } from '@switchboard/operations';
import type { Request, Response } from 'express';
import { readBody } from '../read-body.js';
import { readInput } from '../read-input.js';
import { discardUnreadBody } from './discard-unread-body.js';
import { readMultipart } from './read-multipart.js';

export interface MediaReception {
  readInput(key: Pick<ApiKey, 'workspaceId'>): Promise<Result<unknown>>;
  /**
   * Before the response is written: deletes the received file when it is not needed, because the request was
   * rejected or is a replay.
   */
  settle(operationResponse: OperationResponse): Promise<void>;
}

/**
 * The input of an operation that accepts a file: received into the store after the key is authorized, and
 * parsed afterwards.
 */
export function receiveMedia(
  { ports }: Pick<Service, 'ports'>,
  operation: Operation,
  request: Request,
  response: Response,
): MediaReception {
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
    readInput: (key) => readInput(operation, request, () => readBodyOrFile(key)),
    async settle({ replayed, failure: problem }) {
      discardUnreadBody(request, response);
      const isUnused =
        replayed || (problem !== null && (problem.effect ?? failures[problem.code].effect) === 'none');
      if (isUnused) await ports.mediaFiles.remove(received.map(({ stored }) => stored.name));
    },
  };
}
