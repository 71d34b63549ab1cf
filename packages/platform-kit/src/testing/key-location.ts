import type { IncomingHttpHeaders } from 'node:http';
import type { KeyFormFacts, PasswordLoginFacts } from '@switchboard/domain/ports';

/** The header and its value that contain the key, the path segment that contains it, or the parameter of the query. */
export type KeyLocation =
  | { readonly header: string; value(key: string): string }
  | { path(key: string): string }
  | { readonly query: string };

export interface ReceivedRequest {
  readonly method: string;
  /** The path and the query, as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Uint8Array;
}

/** The user name that accompanies a key that is the password of a pair. */
const NAME = 'name-of-the-key';
const base64 = (text: string) => Buffer.from(text).toString('base64');

export const bearerLocation: KeyLocation = { header: 'authorization', value: (key) => `Bearer ${key}` };
export const headerLocation = (header: string, before = ''): KeyLocation => ({
  header: header.toLowerCase(),
  value: (key) => before + key,
});
/** RFC 7617, with the key as the name and no password. */
export const basicUsernameLocation: KeyLocation = {
  header: 'authorization',
  value: (key) => `Basic ${base64(`${key}:`)}`,
};
/** RFC 7617, with the key as the password. */
export const basicPasswordLocation: KeyLocation = {
  header: 'authorization',
  value: (key) => `Basic ${base64(`${NAME}:${key}`)}`,
};

/** The location that a manifest declares for the key; null for keys that sign and are not sent. */
export function keyLocationOf(send: KeyFormFacts['send'] | PasswordLoginFacts['send']): KeyLocation | null {
  switch (send.kind) {
    case 'bearer':
      return bearerLocation;
    case 'header':
      return headerLocation(send.name, send.before);
    case 'basic':
      return send.passwordField === null ? basicUsernameLocation : basicPasswordLocation;
    case 'path':
      return { path: (key) => key };
    case 'query':
      return { query: send.name };
    case 'oauth1':
    case 'jwt':
      return null;
  }
}

/**
 * Whether the request has the key in its declared location and nowhere else in headers, path, query or body.
 */
export function hasKeyOnlyAt(
  place: KeyLocation,
  key: string,
  { url, headers, bytes }: ReceivedRequest,
): boolean {
  const inHeader = 'header' in place;
  if (inHeader && headers[place.header] !== place.value(key)) return false;
  const inUrl = inHeader ? '' : 'path' in place ? place.path(key) : `${place.query}=${key}`;
  if ('path' in place && !url.startsWith(inUrl)) return false;
  if ('query' in place && new URL(url, 'http://host').searchParams.get(place.query) !== key) return false;
  const elsewhere = [
    inUrl === '' ? url : url.replace(inUrl, ''),
    ...Object.entries(headers).map(([name, value]) =>
      inHeader && name === place.header ? '' : String(value),
    ),
    Buffer.from(bytes).toString('latin1'),
  ].join('\n');
  return ![key, base64(`${key}:`), base64(`${NAME}:${key}`)].some((one) => elsewhere.includes(one));
}
