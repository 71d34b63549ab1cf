import { type IncomingHttpHeaders, request } from 'node:http';

// The JSON endpoints that the authorization page of @atproto/oauth-provider itself calls. They are internal:
// real-servers/bluesky/pnpm-lock.yaml pins the version.
const API = '/@atproto/oauth-provider/~api';
const CSRF_COOKIE = 'csrf-token';

export interface BlueskyConsent {
  readonly handle: string;
  /** The account password: an app password cannot grant. */
  readonly password: string;
  /** The scopes that the user leaves selected; by default all requested ones. `atproto` is mandatory. */
  readonly scope?: string | undefined;
}

/** Signs in and consents on the authorization page; returns the URL that the browser is redirected to. */
export async function approveBlueskyConsent(
  authorizeUrl: string | URL,
  consent: BlueskyConsent,
): Promise<string> {
  const page = await openPage(new URL(authorizeUrl));
  if (page.redirectedTo !== undefined) return page.redirectedTo;
  const signedIn = await page.post<{ account: { did: string }; ephemeralToken: string }>('/sign-in', {
    locale: 'en',
    username: consent.handle,
    password: consent.password,
    remember: false,
  });
  const agreed = await page.post<{ url: string }>(
    '/consent',
    { did: signedIn.account.did, ...(consent.scope !== undefined && { scope: consent.scope }) },
    { authorization: `Bearer ${signedIn.ephemeralToken}` },
  );
  return page.followTo(agreed.url);
}

/** Presses "Deny access" on the authorization page; returns the URL that the browser is redirected to. */
export async function denyBlueskyConsent(authorizeUrl: string | URL): Promise<string> {
  const page = await openPage(new URL(authorizeUrl));
  if (page.redirectedTo !== undefined) return page.redirectedTo;
  const { url } = await page.post<{ url: string }>('/reject', {});
  return page.followTo(url);
}

async function openPage(authorizeUrl: URL) {
  const cookies = new Map<string, string>();

  async function send(url: URL, options: { headers: Record<string, string>; body?: string | undefined }) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await sendRequest(url, { ...options, headers: { ...options.headers, cookie } });
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    return answer;
  }

  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const page = await send(authorizeUrl, { headers: { ...navigation, 'sec-fetch-site': 'cross-site' } });
  const redirectedTo = page.headers.location;
  if (redirectedTo === undefined && page.status !== 200)
    throw createResponseError('The authorization page', page);

  return {
    redirectedTo,
    async post<T>(endpoint: string, body: object, headers: Record<string, string> = {}): Promise<T> {
      const answer = await send(new URL(API + endpoint, authorizeUrl), {
        headers: {
          'content-type': 'application/json',
          'x-csrf-token': cookies.get(CSRF_COOKIE) ?? '',
          origin: authorizeUrl.origin,
          referer: authorizeUrl.href,
          'sec-fetch-site': 'same-origin',
          'sec-fetch-mode': 'same-origin',
          'sec-fetch-dest': 'empty',
          ...headers,
        },
        body: JSON.stringify(body),
      });
      if (answer.status !== 200) throw createResponseError(endpoint, answer);
      return JSON.parse(answer.text) as T;
    },
    async followTo(url: string): Promise<string> {
      const headers = { ...navigation, 'sec-fetch-site': 'same-origin', referer: authorizeUrl.href };
      const answer = await send(new URL(url), { headers });
      if (answer.headers.location === undefined) throw createResponseError('The redirect', answer);
      return answer.headers.location;
    },
  };
}

interface PageResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function createResponseError(what: string, answer: PageResponse): Error {
  return new Error(`${what} of the Bluesky PDS returned ${answer.status}: ${answer.text.slice(0, 500)}`);
}

/** Not `fetch`, which forces `sec-fetch-mode: cors`; the authorization server rejects that value. */
function sendRequest(
  url: URL,
  { headers, body }: { headers: Record<string, string>; body?: string | undefined },
): Promise<PageResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
