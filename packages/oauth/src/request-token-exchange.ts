import { retryAfterOf } from '@switchboard/domain';
import type { Clock, Outbound, TokenExchange } from '@switchboard/domain/ports';
import type { OAuthApp, TokenError } from './oauth2-client.js';
import { parseJson } from './parse-json.js';
import { readErrorCode } from './read-error-code.js';
import { readTokenResponse, type TokenResponse } from './token-response.js';

interface TokenExchangeContext {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly app: OAuthApp;
}

const DEADLINE_SECONDS = 10;
const BYTES_MAX = 64 * 1024;

/**
 * Exchanges a token for another, which Meta's platforms offer instead of refresh tokens. RFC 6749 defines
 * nothing comparable.
 */
export async function requestTokenExchange(
  { outbound, clock, baseUrl, app }: TokenExchangeContext,
  { path, grantType, tokenParameter, app: parts }: TokenExchange,
  token: string,
): Promise<{ readonly kind: 'token'; readonly token: TokenResponse } | TokenError> {
  const url = new URL(baseUrl + path);
  url.searchParams.set('grant_type', grantType);
  if (parts.includes('id')) url.searchParams.set('client_id', app.clientId);
  if (parts.includes('secret')) url.searchParams.set('client_secret', app.clientSecret.reveal());
  url.searchParams.set(tokenParameter, token);
  const outcome = await outbound.request({
    method: 'GET',
    url: url.href,
    headers: { accept: 'application/json' },
    deadlineSeconds: DEADLINE_SECONDS,
    maxBytes: BYTES_MAX,
  });
  if (outcome.kind === 'not_sent' && outcome.reason === 'address_refused') return { kind: 'address_refused' };
  // The request was not sent, so its outcome is known.
  if (outcome.kind === 'not_sent')
    return { kind: 'not_sent', retryAfterSeconds: outcome.retryAfterSeconds ?? 1 };
  if (outcome.kind !== 'answered') return { kind: 'no_answer' };
  const responseBody = parseJson(outcome.body);
  const newToken = outcome.status < 300 ? readTokenResponse(responseBody, clock.now()) : null;
  if (newToken) return { kind: 'token', token: newToken };
  return {
    kind: 'refused',
    status: outcome.status,
    error: readErrorCode(responseBody),
    retryAfter: retryAfterOf(outcome.headers) ?? null,
  };
}
