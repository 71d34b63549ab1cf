import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface ConsentRequest {
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
  readonly state: string | undefined;
}

/** Open consent requests: each is completed once, and only from the browser that opened it. */
export interface ConsentRequests {
  open(request: ConsentRequest, browser: string): { id: string; csrf: string };
  /** Removes and returns the request; `undefined` when there is none or the browser differs. */
  complete(id: string, csrf: string, browser: string): ConsentRequest | undefined;
}

const REQUESTS_MAX = 1000;

export function consentRequests(): ConsentRequests {
  const key = randomBytes(32);
  const open = new Map<string, ConsentRequest>();
  const csrfFor = (id: string, browser: string) =>
    createHmac('sha256', key).update(`${id}\n${browser}`).digest('base64url');
  return {
    open(request, browser) {
      const id = randomBytes(16).toString('base64url');
      open.set(id, request);
      const [oldest] = open.keys();
      if (open.size > REQUESTS_MAX && oldest !== undefined) open.delete(oldest);
      return { id, csrf: csrfFor(id, browser) };
    },
    complete(id, csrf, browser) {
      const expected = Buffer.from(csrfFor(id, browser));
      const provided = Buffer.from(csrf);
      if (provided.length !== expected.length || !timingSafeEqual(provided, expected)) return undefined;
      const request = open.get(id);
      open.delete(id);
      return request;
    },
  };
}
