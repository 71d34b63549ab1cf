import type { OAuth2Facts, Outbound, OutboundRequest } from '@switchboard/domain/ports';
import type { AuthorizationCode } from 'simple-oauth2';
import { createTokenHeader } from './create-token-send.js';
import { classifyTokenError, type OAuthApp, type TokenEndpointCaller } from './oauth2-client.js';
import { readTokenResponse } from './token-response.js';

interface RevocationContext {
  readonly client: AuthorizationCode;
  readonly ask: TokenEndpointCaller;
  readonly app: OAuthApp;
  readonly facts: OAuth2Facts;
  readonly authBaseUrl: string;
  /** The account's own origin, where it has one. */
  readonly server: string | null;
  readonly outbound: Outbound;
  readonly now: Date;
}

interface GrantTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly accessExpiresAt: string | null;
}

/**
 * Revokes a grant with the platform's own method. False when the call should be retried: a platform that
 * rejects the call no longer has the grant, or never revokes it.
 */
export function revokeOAuth2Grant(context: RevocationContext, grant: GrantTokens): Promise<boolean> {
  switch (context.facts.revocation) {
    case 'token':
      return revokeByDelete(context, grant);
    case 'secret':
      return revokeByClientSecret(context, grant);
    case 'access_token':
      return revokeByAccessToken(context, grant);
    case undefined:
      return revokeByRfc7009(context, grant);
  }
}

/** Revokes each token separately (RFC 7009). */
async function revokeByRfc7009(
  revoking: RevocationContext,
  { accessToken, refreshToken }: GrantTokens,
): Promise<boolean> {
  for (const kind of ['refresh_token', 'access_token'] as const) {
    const token = { access_token: accessToken, refresh_token: refreshToken };
    if (token[kind] !== null && !(await requestRevocation(revoking, token, kind))) return false;
  }
  return true;
}

async function revokeByAccessToken(revoking: RevocationContext, grant: GrantTokens): Promise<boolean> {
  const living = await getValidToken(revoking, grant);
  if (living.kind !== 'token') return living.kind === 'over';
  return requestRevocation(revoking, { access_token: living.token }, 'access_token');
}

async function requestRevocation(
  { client, ask }: RevocationContext,
  token: Readonly<Record<string, string | null>>,
  kind: 'refresh_token' | 'access_token',
): Promise<boolean> {
  const tokenResult = await ask(() => client.createToken(token).revoke(kind));
  const isRefused = tokenResult.kind === 'refused' && tokenResult.status < 500 && tokenResult.status !== 429;
  return tokenResult.kind === 'answered' || isRefused;
}

async function revokeByDelete(revoking: RevocationContext, grant: GrantTokens): Promise<boolean> {
  const { facts, authBaseUrl, server } = revoking;
  const living = await getValidToken(revoking, grant);
  if (living.kind === 'unknown') return false;
  if (living.kind === 'over') return true;
  return sendRevocation(revoking, {
    method: 'DELETE',
    url: `${server ?? authBaseUrl}${facts.revokePath ?? ''}`,
    headers: { accept: 'application/json', ...createTokenHeader(living.token, facts.tokenHeader) },
  });
}

/**
 * The token, or its successor if it has expired: platforms do not accept a revocation with an expired token.
 */
async function getValidToken(
  { client, ask, facts, now }: RevocationContext,
  { accessToken, refreshToken, accessExpiresAt }: GrantTokens,
): Promise<{ kind: 'token'; token: string } | { kind: 'over' } | { kind: 'unknown' }> {
  const isExpired = accessExpiresAt !== null && Date.parse(accessExpiresAt) <= now.getTime();
  if (!isExpired) return { kind: 'token', token: accessToken };
  if (refreshToken === null) return { kind: 'over' };
  const tokenResult = await ask(() => client.createToken({ refresh_token: refreshToken }).refresh());
  if (tokenResult.kind !== 'answered') {
    return { kind: classifyTokenError(tokenResult, facts.tokenErrors) === 'ended' ? 'over' : 'unknown' };
  }
  const token = readTokenResponse(tokenResult.answer.token, now);
  return token ? { kind: 'token', token: token.accessToken } : { kind: 'unknown' };
}

const revokeByClientSecret = (
  revoking: RevocationContext,
  { accessToken }: GrantTokens,
): Promise<boolean> => {
  const { facts, authBaseUrl, app } = revoking;
  return sendRevocation(revoking, {
    method: 'POST',
    url: `${authBaseUrl}${facts.revokePath ?? ''}`,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Client ${app.clientSecret.reveal()}`,
    },
    body: JSON.stringify({ client_id: app.clientId, access_token: accessToken }),
  });
};

async function sendRevocation({ outbound }: RevocationContext, request: OutboundRequest): Promise<boolean> {
  const outcome = await outbound.request({ ...request, deadlineSeconds: 10, maxBytes: 64 * 1024 });
  return outcome.kind === 'answered' && outcome.status < 500 && outcome.status !== 429;
}
