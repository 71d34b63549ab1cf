import { Pool } from 'undici';

export interface HttpCaller {
  (path: string, body?: object, extraHeaders?: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** Less than any server keeps an idle connection: a request that is sent while the server closes it fails. */
const IDLE_MS = 1000;

/** Sends requests over keep-alive connections, and accepts only the expected status. */
export function httpCaller(
  url: string,
  { callers, headers, status }: { callers: number; headers: Record<string, string>; status: number },
): HttpCaller {
  const pool = new Pool(new URL(url).origin, {
    connections: callers,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
  });
  const json = { ...headers, 'content-type': 'application/json' };
  const send = async (path: string, body?: object, extraHeaders: Record<string, string> = {}) => {
    const response = await pool.request(
      body
        ? { path, method: 'POST', headers: { ...json, ...extraHeaders }, body: JSON.stringify(body) }
        : { path, method: 'GET', headers },
    );
    const text = await response.body.text();
    if (response.statusCode !== status) throw new Error(`${path} returned ${response.statusCode}: ${text}`);
    return text;
  };
  return Object.assign(send, { close: () => pool.close() });
}
