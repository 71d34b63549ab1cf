import type { OAuth2Facts, Outbound, OutboundRequest } from '@switchboard/domain';
import type { AuthorizationCode } from 'simple-oauth2';
import { tokenHeader } from './bearer-line.js';
import { meaningOf, type App, type Ask } from './oauth2-client.js';
import { readTokenResponse } from './token-response.js';

export interface Revoking {
  readonly client: AuthorizationCode;
  readonly ask: Ask;
  readonly app: App;
  readonly facts: OAuth2Facts;
  readonly authBaseUrl: string;
  /** The account's own place, where it has one. */
  readonly server: string | null;
  readonly outbound: Outbound;
  readonly now: Date;
}

export interface GrantTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly accessExpiresAt: string | null;
}

/**
 * Gives a grant back in the way of its platform. False where it is worth another attempt: a platform that refuses does not
 * know the grant any more, or never will take it back.
 */
export function giveBackAsStated(revoking: Revoking, grant: GrantTokens): Promise<boolean> {
  switch (revoking.facts.revocation) {
    case 'token':
      return byToken(revoking, grant);
    case 'secret':
      return bySecret(revoking, grant);
    case 'access_token':
      return byAccessToken(revoking, grant);
    case undefined:
      return byStandard(revoking, grant);
  }
}

/** RFC 7009, each token for itself. */
async function byStandard(revoking: Revoking, { accessToken, refreshToken }: GrantTokens): Promise<boolean> {
  for (const kind of ['refresh_token', 'access_token'] as const) {
    const token = { access_token: accessToken, refresh_token: refreshToken };
    if (token[kind] !== null && !(await giveBack(revoking, token, kind))) return false;
  }
  return true;
}

async function byAccessToken(revoking: Revoking, grant: GrantTokens): Promise<boolean> {
  const living = await livingToken(revoking, grant);
  if (living.kind !== 'token') return living.kind === 'over';
  return giveBack(revoking, { access_token: living.token }, 'access_token');
}

async function giveBack(
  { client, ask }: Revoking,
  token: Readonly<Record<string, string | null>>,
  kind: 'refresh_token' | 'access_token',
): Promise<boolean> {
  const asked = await ask(() => client.createToken(token).revoke(kind));
  const refused = asked.kind === 'refused' && asked.status < 500 && asked.status !== 429;
  return asked.kind === 'answered' || refused;
}

async function byToken(revoking: Revoking, grant: GrantTokens): Promise<boolean> {
  const { facts, authBaseUrl, server } = revoking;
  const living = await livingToken(revoking, grant);
  if (living.kind === 'unknown') return false;
  if (living.kind === 'over') return true;
  return heard(revoking, {
    method: 'DELETE',
    url: `${server ?? authBaseUrl}${facts.revokePath ?? ''}`,
    headers: { accept: 'application/json', ...tokenHeader(living.token, facts.tokenHeader) },
  });
}

/** The token, or where its time is over the next one: nobody takes back a grant on the word of a token that has ended. */
async function livingToken(
  { client, ask, facts, now }: Revoking,
  { accessToken, refreshToken, accessExpiresAt }: GrantTokens,
): Promise<{ kind: 'token'; token: string } | { kind: 'over' } | { kind: 'unknown' }> {
  const ended = accessExpiresAt !== null && Date.parse(accessExpiresAt) <= now.getTime();
  if (!ended) return { kind: 'token', token: accessToken };
  if (refreshToken === null) return { kind: 'over' };
  const asked = await ask(() => client.createToken({ refresh_token: refreshToken }).refresh());
  if (asked.kind !== 'answered') {
    return { kind: meaningOf(asked, facts.tokenErrors) === 'ended' ? 'over' : 'unknown' };
  }
  const token = readTokenResponse(asked.answer.token, now);
  return token ? { kind: 'token', token: token.accessToken } : { kind: 'unknown' };
}

const bySecret = (revoking: Revoking, { accessToken }: GrantTokens): Promise<boolean> => {
  const { facts, authBaseUrl, app } = revoking;
  return heard(revoking, {
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

async function heard({ outbound }: Revoking, request: OutboundRequest): Promise<boolean> {
  const outcome = await outbound.request({ ...request, deadlineSeconds: 10, maxBytes: 64 * 1024 });
  return outcome.kind === 'answered' && outcome.status < 500 && outcome.status !== 429;
}
