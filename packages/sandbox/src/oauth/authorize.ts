import { randomBytes, createHmac, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import type { PlatformName, World, Account } from '../world.js';
import { authorizePage } from '../pages/authorize-page.js';
import { messagePage } from '../pages/layout.js';
import { type HttpResponse, page, seeOther } from '../wire/response.js';
import { bodyFields, fieldsOf } from '../wire/parameters.js';
import { mayRedirectTo } from './client.js';
import type { GrantStore } from './grants.js';
import { scopesOf } from './scopes.js';

interface AuthorizeContext {
  readonly world: World;
  readonly platform: PlatformName;
  readonly accounts: readonly Account[];
  readonly grants: GrantStore;
  readonly consents: ConsentRequests;
}

/** `GET /oauth/authorize`: shows the consent page. */
export function showConsent(
  { world, platform, accounts, consents }: AuthorizeContext,
  request: Request,
): HttpResponse {
  const query = fieldsOf(request.query);
  const client = query['client_id'];
  if (!world.clients.knows(client)) {
    return errorPage(platform, 'Unknown client_id', 'The client_id is not registered in this sandbox.');
  }
  const redirectUri = query['redirect_uri'];
  if (typeof redirectUri !== 'string' || !mayRedirectTo(redirectUri, world.redirectUris)) {
    return errorPage(platform, 'Unknown redirect_uri', 'The redirect_uri is not registered for this app.');
  }
  const requested = readConsentRequest(platform, client, query, redirectUri);
  if ('error' in requested) {
    const state = typeof query['state'] === 'string' ? query['state'] : undefined;
    return redirectBack(world, platform, { redirectUri, state }, { ...requested });
  }
  const browser = browserOf(platform, request) ?? randomBytes(24).toString('base64url');
  const { id, csrf } = consents.open(requested, browser);
  return page(
    200,
    authorizePage({ platform, accounts, scopes: requested.scopes, redirectUri, request: id, csrf }),
    {
      'set-cookie': `${cookieName(platform)}=${browser}; Path=/${platform}/oauth; HttpOnly; SameSite=Lax`,
    },
  );
}

/** `POST /oauth/authorize`: the user's decision. */
export function handleConsent(
  { world, platform, accounts, grants, consents }: AuthorizeContext,
  request: Request,
): HttpResponse {
  const form = bodyFields(request);
  const text = (name: string) => (typeof form[name] === 'string' ? form[name] : '');
  const consent = consents.complete(text('request'), text('csrf'), browserOf(platform, request) ?? '');
  if (!consent) {
    return errorPage(
      platform,
      'No pending request',
      'This request was already completed or was started in another browser. Start again from the app.',
    );
  }
  const decision = text('decision');
  if (decision === 'deny') {
    return redirectBack(world, platform, consent, {
      error: 'access_denied',
      error_description: 'The user denied the request.',
    });
  }
  const account = accounts.find((known) => known.id === text('account'));
  if (!account || (decision !== 'approve' && decision !== 'approve_selected')) {
    return errorPage(
      platform,
      'Incomplete form',
      'The form contains no account or no decision. Start again from the app.',
    );
  }
  const ticked = [form['scope']].flat();
  const scopes = consent.scopes.filter(
    (scope) => decision === 'approve' || scope === 'profile' || ticked.includes(scope),
  );
  const also = [form['also']].flat();
  const code = grants.issueCode({
    client: consent.client,
    redirectUri: consent.redirectUri,
    challenge: consent.challenge,
    account: account.id,
    also: accounts.map(({ id }) => id).filter((id) => id !== account.id && also.includes(id)),
    scopes,
  });
  return redirectBack(world, platform, consent, { code });
}

function readConsentRequest(
  platform: PlatformName,
  client: string,
  query: Readonly<Record<string, unknown>>,
  redirectUri: string,
) {
  const wrong = (error: string, error_description: string) => ({ error, error_description });
  const repeated = Object.keys(query).find((name) => typeof query[name] !== 'string');
  if (repeated !== undefined) return wrong('invalid_request', 'A parameter is given more than once.');
  if (query['response_type'] !== 'code') {
    return query['response_type'] === undefined
      ? wrong('invalid_request', 'response_type is missing.')
      : wrong('unsupported_response_type', 'Only response_type=code is supported.');
  }
  const challenge = query['code_challenge'];
  if (
    typeof challenge !== 'string' ||
    !/^[\w-]{43}$/.test(challenge) ||
    query['code_challenge_method'] !== 'S256'
  ) {
    return wrong('invalid_request', 'PKCE with code_challenge_method=S256 is required.');
  }
  const requested = typeof query['scope'] === 'string' ? query['scope'].split(' ').filter(Boolean) : [];
  const known = scopesOf(platform);
  if (!requested.every((scope) => known.includes(scope)))
    return wrong('invalid_scope', 'A scope is unknown.');
  const scopes = requested.length === 0 ? known : known.filter((scope) => requested.includes(scope));
  return {
    client,
    redirectUri,
    challenge,
    scopes,
    state: typeof query['state'] === 'string' ? query['state'] : undefined,
  };
}

function redirectBack(
  world: World,
  platform: PlatformName,
  to: { readonly redirectUri: string; readonly state: string | undefined },
  result: Readonly<Record<string, string>>,
): HttpResponse {
  const url = new URL(to.redirectUri);
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
  if (to.state !== undefined) url.searchParams.set('state', to.state);
  url.searchParams.set('iss', `${world.origin()}/${platform}`);
  return seeOther(url.href);
}

const errorPage = (platform: PlatformName, title: string, message: string): HttpResponse =>
  page(400, messagePage({ platform, title, message }));

const cookieName = (platform: PlatformName): string => `sandbox_${platform}_browser`;

function browserOf(platform: PlatformName, request: Request): string | undefined {
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim().split('='));
  return cookies.find(
    ([name, value]) => name === cookieName(platform) && /^[\w-]{32}$/.test(value ?? ''),
  )?.[1];
}

type ConsentRequest = Exclude<ReturnType<typeof readConsentRequest>, { readonly error: string }>;

const REQUESTS_MAX = 1000;

/** Open consent requests: each is completed once, and only from the browser that opened it. */
export function consentRequests() {
  const key = randomBytes(32);
  const open = new Map<string, ConsentRequest>();
  const csrfFor = (id: string, browser: string) =>
    createHmac('sha256', key).update(`${id}\n${browser}`).digest('base64url');
  return {
    open(request: ConsentRequest, browser: string) {
      const id = randomBytes(16).toString('base64url');
      open.set(id, request);
      const [oldest] = open.keys();
      if (open.size > REQUESTS_MAX && oldest !== undefined) open.delete(oldest);
      return { id, csrf: csrfFor(id, browser) };
    },
    /** Removes and returns the request; `undefined` when there is none or the browser differs. */
    complete(id: string, csrf: string, browser: string): ConsentRequest | undefined {
      const expected = Buffer.from(csrfFor(id, browser));
      const provided = Buffer.from(csrf);
      if (provided.length !== expected.length || !timingSafeEqual(provided, expected)) return undefined;
      const request = open.get(id);
      open.delete(id);
      return request;
    },
  };
}
type ConsentRequests = ReturnType<typeof consentRequests>;
