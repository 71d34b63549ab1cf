import { request } from 'node:http';

/** Posts JSON to another local server, and returns the response status. */
export const postJson = (url: string, json: unknown): Promise<number> =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify(json);
    const outgoing = request(url, {
      method: 'POST',
      agent: false,
      timeout: 60_000,
      headers: {
        'content-type': 'application/json;charset=UTF-8',
        'content-length': Buffer.byteLength(body),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error('no response')));
    outgoing.on('response', (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode ?? 0));
      incoming.on('error', reject);
    });
    outgoing.end(body);
  });
