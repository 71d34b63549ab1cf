import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InstanceAnswer, InstanceRequest } from './exchange.js';
import { mastodonInstance, type InstanceOptions, type MastodonInstance } from './instance.js';

export interface RunningMastodon extends MastodonInstance {
  readonly url: string;
  /** Every request and its answer, the oldest first. */
  exchanges(): readonly { readonly request: InstanceRequest; readonly answer: InstanceAnswer }[];
  /** Takes the next status in and never answers: the connection breaks. */
  loseNextAnswer(): void;
  close(): Promise<void>;
}

/** A Mastodon server on a port of this machine. */
export async function startMastodon(options: InstanceOptions = {}): Promise<RunningMastodon> {
  const instance = mastodonInstance(options);
  const seen: { request: InstanceRequest; answer: InstanceAnswer }[] = [];
  let losing = false;

  const server = createServer((incoming, response) => {
    void read(incoming).then((request) => {
      const token = /^Bearer (.+)$/.exec(String(incoming.headers.authorization))?.[1] ?? '';
      const answer = instance.answerAs(request, instance.oauth.bearerOf(token));
      seen.push({ request, answer });
      if (losing && request.method === 'POST' && request.path === '/api/v1/statuses') {
        losing = false;
        incoming.socket.resetAndDestroy();
        return;
      }
      const body = answer.html ?? (answer.json === undefined ? undefined : JSON.stringify(answer.json));
      const type = answer.html === undefined ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8';
      response.writeHead(answer.status, {
        ...(body !== undefined && { 'content-type': type }),
        ...answer.headers,
      });
      response.end(body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  instance.livesAt(url);
  return {
    ...instance,
    url,
    exchanges: () => seen,
    loseNextAnswer: () => void (losing = true),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function read(incoming: IncomingMessage): Promise<InstanceRequest> {
  const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const isForm = incoming.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: text === '' ? undefined : isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text),
  };
}
