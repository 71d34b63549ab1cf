import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Breakage, World } from '../../kit/testing/world.js';
import { repository } from './repository.js';

const DID = 'did:plc:switchboardtestaccount00';

export interface BlueskyWorld extends World {
  /** The record as it was written, by the post's address. */
  recordOf(uri: string): Record<string, unknown> | undefined;
  /** Handles that lead somewhere, and where. */
  readonly handles: Map<string, string>;
}

/** A server that answers as the PDS was seen to (NOTES.md), with an app view beside it and a ledger of posts. */
export async function startWorld(): Promise<BlueskyWorld> {
  const [token, expiredToken, weakToken] = ['good', 'old', 'weak'].map(
    (kind) => `${kind}-${randomBytes(16).toString('hex')}`,
  ) as [string, string, string];
  const handles = new Map([['alice.test', 'did:plc:alice']]);
  const repo = repository(DID, handles);
  let broken: Breakage | null = null;
  let requests = 0;

  const server = createServer((request, response) => {
    requests++;
    const how = broken;
    broken = null;
    void answer(request, response, how);
  });

  async function answer(request: IncomingMessage, response: ServerResponse, how: Breakage | null) {
    const url = new URL(request.url ?? '/', 'http://pds');
    const chunks: Uint8Array[] = [];
    for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
    if (how === 'hang') return;
    if (how === 'reset-before-effect') return request.socket.resetAndDestroy();
    if (how === '429') return say(response, 429, { error: 'RateLimitExceeded' }, { 'retry-after': '7' });
    if (how === '500-before') return say(response, 502, { error: 'UpstreamFailure' });
    if (how === 'redirect') return say(response, 307, {}, { location: 'http://127.0.0.1:9/' });

    const { status, json } = judge(request) ?? repo.call(url, Buffer.concat(chunks).toString());
    if (how === 'reset-after-effect') return request.socket.resetAndDestroy();
    if (how === '500-after') return say(response, 500, { error: 'InternalServerError' });
    if (how === 'garbage')
      return response.writeHead(status, { 'content-type': 'application/json' }).end('<{');
    if (how === '2xx-no-id') return say(response, status, {});
    if (how !== '2xx-truncated') return say(response, status, json);
    response.writeHead(status, { 'content-length': 1000 }).write('{', () => request.socket.destroy());
  }

  function judge(request: IncomingMessage): { status: number; json: unknown } | null {
    const given = request.headers.authorization?.replace('Bearer ', '');
    if (given === expiredToken) {
      return { status: 400, json: { error: 'ExpiredToken', message: 'Token has expired' } };
    }
    if (given === weakToken && !request.url?.includes('getSession')) {
      const message = 'Missing required scope "transition:generic"';
      return { status: 403, json: { error: 'ScopeMissingError', message } };
    }
    if (given !== token) return { status: 401, json: { error: 'AuthMissing' } };
    return null;
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account: { id: DID, username: 'test.example', name: null, avatarUrl: null, url: null },
    token,
    expiredToken,
    weakToken,
    handles,
    break: (how) => (broken = how),
    mend: () => (broken = null),
    requests: () => requests,
    effects: () => repo.created(),
    recordOf: (uri) => repo.recordOf(uri),
    textOf: async (uri) => String(repo.recordOf(uri)?.['text']),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function say(response: ServerResponse, status: number, json: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(json));
}
