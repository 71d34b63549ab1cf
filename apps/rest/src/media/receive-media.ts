import type { Service } from '@switchboard/bootstrap';
import {
  failures,
  ok,
  ReceivedFile,
  refuse,
  storeMedia,
  type ApiKey,
  type Result,
} from '@switchboard/domain';
import type { Answer, Operation } from '@switchboard/operations';
import type { Request, Response } from 'express';
import { readBody } from '../read-body.js';
import { readInput } from '../read-input.js';
import { leaveUnread } from './leave-unread.js';
import { readMultipart } from './read-multipart.js';

export interface Receiving {
  readInput(key: Pick<ApiKey, 'workspaceId'>): Promise<Result<unknown>>;
  /** Before the answer is written: removes what was received and is of no use, since the request was refused or had been answered before. */
  settle(answer: Answer): Promise<void>;
}

/** The input of an operation that takes a file: received into the store once a key may, and parsed afterwards. */
export function receiveMedia(
  { ports }: Pick<Service, 'ports'>,
  operation: Operation,
  request: Request,
  response: Response,
): Receiving {
  const received: ReceivedFile[] = [];
  async function take(
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
  async function read(key: Pick<ApiKey, 'workspaceId'>): Promise<Result<Record<string, unknown>>> {
    if (request.is('multipart/form-data')) {
      return readMultipart(request, (name, bytes) => take(key, name, bytes));
    }
    const body = await readBody(request, response);
    return body.ok || body.failure.code !== 'request.unsupported_media_type'
      ? body
      : refuse('request.unsupported_media_type', 'Send multipart/form-data with a file, or JSON with a url.');
  }

  return {
    readInput: (key) => readInput(operation, request, () => read(key)),
    async settle({ replayed, failure: no }) {
      leaveUnread(request, response);
      const unused = replayed || (no !== null && (no.effect ?? failures[no.code].effect) === 'none');
      if (unused) await ports.mediaFiles.remove(received.map(({ stored }) => stored.name));
    },
  };
}
