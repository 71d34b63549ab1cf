import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly event: ReceivedEvent;
}

export type Responder = (response: ServerResponse, request: ReceivedRequest) => void;

export interface WebhookReceiver {
  readonly host: string;
  readonly url: string;
  /** Everything that was received, except challenges. */
  readonly requests: readonly ReceivedRequest[];
  /** The types that a path received, in order. */
  types(path: string): readonly string[];
  /** How a path responds; with 204 by default. */
  respond(path: string, responder: Responder): void;
  close(): Promise<void>;
}

/** A receiver that repeats challenges and records what it gets. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const responders = new Map<string, Responder>();
  const server = createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
      const event = JSON.parse(text) as ReceivedEvent & { challenge?: string };
      if (event.type === 'webhook.challenge')
        return response.end(JSON.stringify({ challenge: event.challenge }));
      const received = { path: request.url ?? '', headers: request.headers, text, event };
      requests.push(received);
      const respond = responders.get(received.path);
      if (respond) respond(response, received);
      else response.writeHead(204).end();
    })();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    requests,
    types: (path) => requests.filter((one) => one.path === path).map(({ event }) => event.type),
    respond: (path, responder) => void responders.set(path, responder),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Verifies with the published library of the Standard Webhooks specification; throws when it does not match. */
export const verifySignature = (secret: string, { headers, text }: ReceivedRequest): unknown =>
  new Webhook(secret).verify(text, headers as Record<string, string>);
