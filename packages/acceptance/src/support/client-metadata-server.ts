import { createServer } from 'node:https';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testCertificate } from './test-certificate.js';

export type DocumentHandler = (response: ServerResponse, clientId: string) => void;

/** An https server of Client ID Metadata Documents. */
export interface ClientMetadataServer {
  readonly host: string;
  /** Serves a document; its URL is the `client_id`. */
  publish(name: string, metadata: object | DocumentHandler): string;
  /** How often a document was fetched. */
  countFetches(name: string): number;
  close(): Promise<void>;
}

export async function startClientMetadataServer(): Promise<ClientMetadataServer> {
  const handlers = new Map<string, DocumentHandler>();
  const fetches = new Map<string, number>();
  const server = createServer(testCertificate, (request, response) => {
    const path = request.url ?? '/';
    fetches.set(path, (fetches.get(path) ?? 0) + 1);
    const handler = handlers.get(path);
    if (handler) return handler(response, `https://${request.headers.host}${path}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  return {
    host,
    publish(name, metadata) {
      const handler: DocumentHandler =
        typeof metadata === 'function'
          ? (metadata as DocumentHandler)
          : (response, clientId) => sendDocument(response, { client_id: clientId, ...metadata });
      handlers.set(`/${name}`, handler);
      return `https://${host}/${name}`;
    },
    countFetches: (name) => fetches.get(`/${name}`) ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const sendDocument = (response: ServerResponse, metadata: object): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
