import type { Request, Response } from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';

const SECRET = /^[A-Za-z0-9_-]{43,128}$/;

/**
 * On https the name begins with `__Host-`, which a browser accepts only from this exact host, never from a
 * sibling domain.
 */
export function browserCookie({ https, random }: { readonly https: boolean; readonly random: () => string }) {
  const name = https ? '__Host-swb_connect' : 'swb_connect';
  const read = (request: Request) => {
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    return value !== undefined && SECRET.test(value) ? value : null;
  };
  return {
    /** The secret of this browser; null when it has none. */
    read,
    /** The existing secret, or a new one. */
    ensure(request: Request, response: Response) {
      const known = read(request);
      if (known !== null) return known;
      const secret = random();
      response.cookie(name, secret, { httpOnly: true, sameSite: 'lax', path: '/', secure: https });
      return secret;
    },
  };
}

/** Identifies a browser between the form and the callback, and nowhere else. */
export type BrowserCookie = ReturnType<typeof browserCookie>;

/** Bound to the browser and to the link: invalid in another browser and for another link. */
export const csrfOf = (browser: string, token: string): string =>
  createHmac('sha256', browser).update(`connect:${token}`).digest('base64url');

export function isCsrf(csrf: string | null, browser: string, token: string): boolean {
  const [a, b] = [Buffer.from(csrf ?? ''), Buffer.from(csrfOf(browser, token))];
  return a.length === b.length && timingSafeEqual(a, b);
}
