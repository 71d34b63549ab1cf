import type { Settings } from '../ports/settings.js';

/**
 * A return URL must equal one on the workspace's list; in development any loopback URL is allowed. User info,
 * fragments and ambiguous notations are rejected: the URL must be written as it is listed, or as a browser
 * would normalize it.
 */
export function allowsReturnUrl(
  text: string,
  allowed: readonly string[],
  { production }: Pick<Settings, 'production'>,
): boolean {
  const url = parseUrl(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return false;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return false;
  const isNormalized = text === url.href || `${text}/` === url.href;
  if (allowed.some((entry) => entry === text || (isNormalized && parseUrl(entry)?.href === url.href)))
    return true;
  return !production && isNormalized && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
}

function parseUrl(text: string): URL | null {
  // A browser drops tabs and line breaks and reads a backslash as a slash; such a text indicates an attack.
  if (/[\u0000-\u0020\\]/.test(text) || !URL.canParse(text)) return null;
  return new URL(text);
}
