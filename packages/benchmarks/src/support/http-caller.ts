import { Pool } from 'undici';

export interface HttpCaller {
  (path: string, body?: object, more?: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}

/** Asks over connections that stay open, and takes no answer but the expected one. */
export function httpCaller(
  url: string,
  { callers, headers, status }: { callers: number; headers: Record<string, string>; status: number },
): HttpCaller {
  const pool = new Pool(new URL(url).origin, { connections: callers, pipelining: 1 });
  const json = { ...headers, 'content-type': 'application/json' };
  const ask = async (path: string, body?: object, more: Record<string, string> = {}) => {
    const answer = await pool.request(
      body
        ? { path, method: 'POST', headers: { ...json, ...more }, body: JSON.stringify(body) }
        : { path, method: 'GET', headers },
    );
    const text = await answer.body.text();
    if (answer.statusCode !== status) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
    return text;
  };
  return Object.assign(ask, { close: () => pool.close() });
}
