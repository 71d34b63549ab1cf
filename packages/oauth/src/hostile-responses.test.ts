import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { PlatformRequest } from '@switchboard/domain/ports';
import { undiciOutbound } from '@switchboard/egress';
import { interpretOutcome } from './interpret-outcome.js';

const outbound = undiciOutbound({ allowPrivateHosts: ['127.0.0.1'], userAgent: 'test', breakerOpenMs: 0 });
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
});
afterAll(() => outbound.close());

/** Sends one request to a server that responds with the given bytes. */
async function requestFrom(
  say: (socket: Socket) => void,
  effect: PlatformRequest['effect'] = 'read',
  deadlineSeconds = 60,
) {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', () => say(socket));
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const method = effect === 'read' ? 'GET' : 'POST';
  const outcome = await outbound.request({ method, url, deadlineSeconds });
  return interpretOutcome(outcome, { effect }, 'Some', new Date('2026-03-02T09:00:00Z'));
}

const MEGABYTE = 1024 * 1024;
const OK = 'HTTP/1.1 200 OK\r\n';

/** Writes as fast as the client reads, until the client stops reading. */
function writeEndlessly(socket: Socket, chunk: Buffer, chunks: number, sent = { bytes: 0 }) {
  let remainingChunks = chunks;
  const more = () => {
    while (remainingChunks > 0 && !socket.destroyed) {
      remainingChunks -= 1;
      sent.bytes += chunk.length;
      if (!socket.write(chunk)) return void socket.once('drain', more);
    }
    if (!socket.destroyed) socket.end();
  };
  more();
  return sent;
}
const chunked = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

const tooMuch: readonly (readonly [string, (socket: Socket) => void])[] = [
  [
    'ten gigabytes in chunks',
    (socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      writeEndlessly(socket, chunked(Buffer.alloc(MEGABYTE, 'a')), 10 * 1024);
    },
  ],
  [
    'ten gigabytes, and says so',
    (socket) => {
      socket.write(`${OK}content-length: ${10 * 1024 * MEGABYTE}\r\n\r\n`);
      writeEndlessly(socket, Buffer.alloc(MEGABYTE, 'a'), 10 * 1024);
    },
  ],
  [
    'ten gigabytes until the connection ends',
    (socket) => {
      socket.write(`${OK}\r\n`);
      writeEndlessly(socket, Buffer.alloc(MEGABYTE, 'a'), 10 * 1024);
    },
  ],
  [
    'half a gigabyte in half a megabyte',
    (socket) => {
      // A gzip file may consist of several concatenated members.
      const one = gzipSync(Buffer.alloc(MEGABYTE));
      const gzipBomb = Buffer.concat(Array.from({ length: 512 }, () => one));
      socket.end(
        Buffer.concat([
          Buffer.from(`${OK}content-encoding: gzip\r\ncontent-length: ${gzipBomb.length}\r\n\r\n`),
          gzipBomb,
        ]),
      );
    },
  ],
  [
    'ten thousand headers',
    (socket) => {
      const headers = Array.from({ length: 10_000 }, (_, index) => `x-${index}: ${index}\r\n`).join('');
      socket.end(`${OK}${headers}content-length: 2\r\n\r\n{}`);
    },
  ],
  ['a header of a megabyte', (socket) => void socket.end(`${OK}x: ${'a'.repeat(MEGABYTE)}\r\n\r\n`)],
  [
    'headers without end',
    (socket) => {
      socket.write(OK);
      writeEndlessly(socket, Buffer.from(`x: ${'a'.repeat(1_000)}\r\n`), 1_000_000);
    },
  ],
  ['two lengths', (socket) => void socket.end(`${OK}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`)],
  [
    'a length beside chunks',
    (socket) =>
      void socket.end(`${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
  ],
  ['a length that is no number', (socket) => void socket.end(`${OK}content-length: two\r\n\r\n{}`)],
  ['no HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n')],
];

describe('a platform that responds', () => {
  test.each(tooMuch)('with %s is cut off, and its response is not used', async (_what, say) => {
    const before = process.memoryUsage();
    const answer = await requestFrom(say);
    expect(answer).toMatchObject({ ok: false, failure: { code: 'platform.invalid_response' } });
    const after = process.memoryUsage();
    const grown = after.heapUsed + after.external - before.heapUsed - before.external;
    expect(grown).toBeLessThan(64 * MEGABYTE);
  });

  test.each(tooMuch.filter(([what]) => !what.includes('half a gigabyte')))(
    'with %s to a write leaves the outcome unknown',
    async (_what, say) => {
      expect(await requestFrom(say, 'write')).toMatchObject({
        ok: false,
        failure: { code: 'platform.outcome_unknown' },
      });
    },
  );

  test('with more bytes than announced is read up to the announced length', async () => {
    const answer = await requestFrom(
      (socket) => void socket.end(`${OK}content-length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n`),
    );
    expect(answer).toMatchObject({ ok: true, value: { json: {} } });
  });

  test('with fewer bytes than announced is unavailable to a read and in doubt to a write', async () => {
    const less = (socket: Socket) => void socket.end(`${OK}content-length: 200\r\n\r\n{"id":1}`);
    expect(await requestFrom(less)).toMatchObject({ failure: { code: 'platform.unavailable' } });
    expect(await requestFrom(less, 'write')).toMatchObject({ failure: { code: 'platform.outcome_unknown' } });
  });

  test('one byte at a time is cut off at the deadline', async () => {
    const writeSlowly = (socket: Socket) => {
      // Complete after ten deadlines: only the deadline makes it unavailable.
      socket.write(`${OK}content-length: 100\r\n\r\n`);
      const timer = setInterval(() => socket.write('x'), 50);
      socket.once('close', () => clearInterval(timer));
    };
    expect(await requestFrom(writeSlowly, 'read', 0.5)).toMatchObject({
      failure: { code: 'platform.unavailable' },
    });
  });

  test.each([
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['half a surrogate pair as bytes', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['an overlong NUL', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ['a page', Buffer.from('<html>')],
  ])('with %s has sent no readable response', async (_what, bytes) => {
    const answer = await requestFrom((socket) => {
      socket.write(`${OK}content-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`);
      socket.end(bytes);
    });
    expect(answer).toMatchObject({ ok: true, value: { json: undefined } });
  });
});
