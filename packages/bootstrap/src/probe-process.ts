import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';

const RESPONSE_TIMEOUT_MS = 3000;
const BYTES_MAX = 64 * 1024;

/**
 * Reads the state of a process of this installation (`/healthz`, `/readyz`). Null without a JSON response.
 * The request contains no secret and the response only informs, so a certificate for another name is
 * accepted.
 */
export function probeProcess(
  url: string,
): Promise<{ readonly status: number; readonly json: unknown } | null> {
  return new Promise((resolve) => {
    const onResponse = (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > BYTES_MAX) response.destroy();
      });
      response.on('error', () => resolve(null));
      response.on('close', () => resolve(parseResponse(response.statusCode ?? 0, text)));
    };
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
    const request = url.startsWith('https:')
      ? getHttps(url, { signal, agent: false, rejectUnauthorized: false }, onResponse)
      : getHttp(url, { signal, agent: false }, onResponse);
    request.on('error', () => resolve(null));
  });
}

function parseResponse(status: number, text: string) {
  try {
    return { status, json: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}
