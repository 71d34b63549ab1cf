import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';

const ANSWER_MS = 3000;
const BYTES_MAX = 64 * 1024;

/**
 * Asks a process of this installation how it is (`/healthz`, `/readyz`). Null when nobody answers in JSON. Nothing secret is
 * sent and the answer decides nothing, so a certificate that is made for another name is no reason to see nobody there.
 */
export function askOwnProcess(
  url: string,
): Promise<{ readonly status: number; readonly json: unknown } | null> {
  return new Promise((resolve) => {
    const answered = (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > BYTES_MAX) response.destroy();
      });
      response.on('error', () => resolve(null));
      response.on('close', () => resolve(read(response.statusCode ?? 0, text)));
    };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const request = url.startsWith('https:')
      ? getHttps(url, { signal, agent: false, rejectUnauthorized: false }, answered)
      : getHttp(url, { signal, agent: false }, answered);
    request.on('error', () => resolve(null));
  });
}

function read(status: number, text: string) {
  try {
    return { status, json: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}
