import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import type { HttpRequest } from './build-request.js';

const DEADLINE_MS = 60_000;

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends exactly what the request states: `fetch` would normalize its path. */
export function createSender(url: string) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const attempt = (http: HttpRequest) =>
    new Promise<HttpResponse | 'closed'>((resolve, reject) => {
      const { method, path, headers, body } = http;
      const sent = request({ hostname, port, agent, method, path, headers: { ...headers } });
      sent.setTimeout(DEADLINE_MS, () => sent.destroy(new Error(`No response within ${DEADLINE_MS} ms.`)));
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      // The service may have closed an idle connection at the same moment.
      sent.on('error', (error) => (sent.reusedSocket ? resolve('closed') : reject(error)));
      sent.end(body ?? undefined);
    });
  return {
    async send(http: HttpRequest): Promise<HttpResponse> {
      for (let tries = 0; tries < 3; tries += 1) {
        const response = await attempt(http);
        if (response !== 'closed') return response;
      }
      throw new Error('The service closed the connection three times.');
    },
    close: () => agent.destroy(),
  };
}
