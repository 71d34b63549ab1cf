import { createServer, request as send, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import type { Request } from 'express';
import { readRequestBytes } from './read-request-bytes.js';

/** How a server that reads in this way handles a body that `write` sends. */
async function readBy(
  read: (bytes: AsyncIterable<Uint8Array>) => Promise<string>,
  write: (piece: (text: string) => void, end: () => void) => void,
): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    void read(readRequestBytes(request as Request, 150)).then(
      (said) => response.end(said),
      (error: Error) => response.end(error.message),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const said = await new Promise<string>((resolve, reject) => {
    const request = send({ port, host: '127.0.0.1', method: 'PUT', agent: false }, (response) => {
      response.on('data', (piece: Buffer) => {
        resolve(piece.toString());
        request.destroy();
      });
    });
    request.on('error', reject);
    write(
      (text) => request.write(text),
      () => request.end(),
    );
  });
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  return said;
}
const collect = async (bytes: AsyncIterable<Uint8Array>, waitMs = 0) => {
  let text = '';
  for await (const piece of bytes) {
    text += Buffer.from(piece).toString();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  return text;
};

test('a body arrives in chunks, however slowly it is read', async () => {
  const said = await readBy(
    (bytes) => collect(bytes, 300),
    (write, end) => {
      write('one');
      write('two');
      end();
    },
  );
  expect(said).toBe('onetwo');
});

test('an idle body throws, and the request can still be answered', async () => {
  expect(await readBy(collect, (write) => write('one'))).toBe('the request body timed out');
});

test('a reader that stops early can still respond', async () => {
  const first = async (bytes: AsyncIterable<Uint8Array>) => {
    for await (const piece of bytes) return Buffer.from(piece).toString();
    return '';
  };
  expect(await readBy(first, (write) => write('one'))).toBe('one');
});
