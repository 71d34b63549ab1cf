export interface TokenResponse {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly expiresInSeconds: number | null;
  readonly scope: readonly string[] | null;
}

/** The fields of a token response; Instagram wraps them in a list with one entry. */
export function tokenFields(answer: unknown): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null) return {};
  const { data } = answer as { readonly data?: unknown };
  const [only] = Array.isArray(data) && data.length === 1 ? (data as readonly unknown[]) : [];
  return (typeof only === 'object' && only !== null ? only : answer) as Record<string, unknown>;
}

const TEN_YEARS_SECONDS = 10 * 366 * 86_400;
const TOKEN_MAX = 16_384;
/** Valid header characters: RFC 6750's `b64token` is narrower, and not all platforms comply with it. */
const visibleAscii = /^[\x21-\x7e]+$/;

/**
 * Parses a response of RFC 6749, 5.1. Null when it is invalid: another token type, no token, or an impossible
 * lifetime. Without `expires_in`, `expires_at` gives the expiry.
 */
export function readTokenResponse(answer: unknown, now: Date): TokenResponse | null {
  const fields = tokenFields(answer);
  const { access_token, refresh_token, token_type, expires_in, expires_at } = fields;
  const scope = fields['scope'] ?? fields['permissions'];
  if (!isToken(access_token)) return null;
  if (
    refresh_token !== undefined &&
    refresh_token !== null &&
    refresh_token !== '' &&
    !isToken(refresh_token)
  ) {
    return null;
  }
  // The RFC requires it and some platforms omit it; only another type is an error.
  if (token_type !== undefined && (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer'))
    return null;
  const expiresInSeconds = readLifetime(
    expires_in === undefined ? secondsUntil(expires_at, now) : expires_in,
  );
  if (expiresInSeconds === undefined) return null;
  return {
    accessToken: access_token,
    refreshToken: isToken(refresh_token) ? refresh_token : null,
    expiresInSeconds,
    scope: readScope(scope),
  };
}

function readScope(scope: unknown): readonly string[] | null {
  const words = Array.isArray(scope) ? (scope as readonly unknown[]) : [scope];
  const text = words
    .filter((word) => typeof word === 'string')
    .join(' ')
    .trim();
  return text === '' ? null : text.split(/[\s,]+/);
}

export const isToken = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= TOKEN_MAX && visibleAscii.test(value);

/** simple-oauth2 has already parsed it, regardless of its format. */
function secondsUntil(value: unknown, now: Date): number | null {
  if (value === undefined || value === null) return null;
  return value instanceof Date ? (value.getTime() - now.getTime()) / 1_000 : NaN;
}

/** Null: no lifetime given. Undefined: an invalid lifetime. */
function readLifetime(value: unknown): number | null | undefined {
  if (value === undefined || value === null) return null;
  const seconds = typeof value === 'string' && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && seconds >= 1 && seconds <= TEN_YEARS_SECONDS ? seconds : undefined;
}
