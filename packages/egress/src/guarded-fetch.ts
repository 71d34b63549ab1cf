import type { Outbound, OutboundRequest } from '@switchboard/domain/ports';
import { OutboundError } from './outbound-error.js';

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
const isMethod = (method: string): method is OutboundRequest['method'] =>
  (methods as readonly string[]).includes(method);

/**
 * `fetch` over the guarded client, for libraries that accept one. A missing response throws `OutboundError`;
 * redirects are never followed.
 */
export function guardedFetch(
  outbound: Outbound,
  limits: Pick<OutboundRequest, 'deadlineSeconds' | 'maxBytes'> = {},
): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (!isMethod(request.method)) throw new TypeError(`HTTP method ${request.method} is not supported`);
    const body = new Uint8Array(await request.arrayBuffer());
    const outcome = await outbound.request({
      ...limits,
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      ...(body.length > 0 && { body }),
      signal: request.signal,
    });
    if (outcome.kind !== 'answered') throw new OutboundError(outcome);
    const { status, headers } = outcome;
    const redirects = [301, 302, 303, 307, 308].includes(status);
    if (redirects && request.redirect !== 'manual') throw new TypeError('redirects are not followed');
    const empty = [204, 205, 304].includes(status) || request.method === 'HEAD';
    const response = new Response(empty ? null : Buffer.from(outcome.body), {
      status,
      headers: decodedHeaders(headers),
    });
    Object.defineProperty(response, 'url', { value: request.url });
    return response;
  };
}

/** The body is decoded, so the headers that describe its encoded form are removed. */
const decodedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== 'content-encoding' && name !== 'content-length'),
  );
