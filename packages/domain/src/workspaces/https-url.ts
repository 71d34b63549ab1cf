const LENGTH_MAX = 2000;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** An https URL that a browser reads exactly as written: no user, no blanks, no backslash. */
export const isHttpsUrl = (text: string): boolean => parseUrl(text)?.protocol === 'https:';

/**
 * A valid entry of the list of return URLs; `allowsReturnUrl` compares with the whole entry. In addition to
 * https, http on a loopback address, for an app under development or on a desktop.
 */
export function isReturnUrl(text: string): boolean {
  const url = parseUrl(text);
  if (!url || url.hash !== '' || text.endsWith('#')) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname));
}

function parseUrl(text: string): URL | null {
  // A browser drops tabs and line breaks and reads a backslash as a slash; such a text indicates an attack.
  if (text.length > LENGTH_MAX || /[\u0000-\u0020\u007f\\]/.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.username === '' && url.password === '' && !url.hostname.includes('*') ? url : null;
}
