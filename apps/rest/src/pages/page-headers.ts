import { createHash } from 'node:crypto';

interface PageHeaderOptions {
  /** The text of the page's only style element, if it has one. */
  readonly style?: string | undefined;
  readonly formTargets?: readonly string[] | undefined;
  /** The URL of the only image of another site: the logo of the workspace. */
  readonly logo?: string | null | undefined;
  /** Whether it shows images and videos that we serve. */
  readonly media?: boolean | undefined;
  readonly https: boolean;
}

/**
 * The headers of every response of the hosted pages, including failures. Browsers apply `form-action` to the
 * redirects after a form as well, so the platform to which a form leads has to be among its targets.
 */
export function pageHeaders({
  style,
  formTargets = [],
  logo = null,
  media = false,
  https,
}: PageHeaderOptions): Record<string, string> {
  const styles =
    style === undefined ? "'none'" : `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  const own = media ? ["'self'"] : [];
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src ${styles}`,
      `img-src ${['data:', ...own, ...(logo === null ? [] : [new URL(logo).origin])].join(' ')}`,
      ...(media ? ["media-src 'self'"] : []),
      `form-action ${["'self'", ...new Set(formTargets)].join(' ')}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Robots-Tag': 'noindex',
    ...(https && { 'Strict-Transport-Security': 'max-age=31536000' }),
  };
}
