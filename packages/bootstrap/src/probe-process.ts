import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';

const RESPONSE_TIMEOUT_MS = 3000;
const BYTES_MAX = 64 * 1024;

/** A response; `json` is undefined when it is not JSON. */
export interface Probe {
  readonly status: number;
  readonly json: unknown;
}

/**
 * Reads the state of a process of this installation (`/healthz`, `/readyz`). Null without a JSON response.
 * The request contains no secret and the response only informs, so a certificate for another name is
 * accepted.
 */
export async function probeProcess(url: string): Promise<Probe | null> {
  const probe = await request(url, { rejectUnauthorized: false });
  return probe instanceof Error || probe.json === undefined ? null : probe;
}

/** Reads a public document of this installation as others do: an error without a response they would accept. */
export const probePublicUrl = (url: string): Promise<Probe | Error> =>
  request(url, { rejectUnauthorized: true });

function request(url: string, options: { readonly rejectUnauthorized: boolean }): Promise<Probe | Error> {
  return new Promise((resolve) => {
    const onResponse = (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > BYTES_MAX) response.destroy();
      });
      response.on('error', resolve);
      response.on('close', () => resolve({ status: response.statusCode ?? 0, json: parse(text) }));
    };
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
    const sent = url.startsWith('https:')
      ? getHttps(url, { ...options, signal, agent: false }, onResponse)
      : getHttp(url, { signal, agent: false }, onResponse);
    sent.on('error', resolve);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
