import type { Outbound, OutboundResponse, OutboundOutcome } from '@switchboard/domain/ports';
import { isJsonContentType } from './is-json-content-type.js';
import { parseJsonObject } from './parse-json.js';

export type MastodonLookup<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'address_refused' }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'unavailable' };

interface InstanceInput {
  readonly origin: string;
  /** The handle, when one was entered: its server may differ from its domain. */
  readonly handle: string | null;
}

/** The OAuth metadata of a server (RFC 8414), or Mastodon's defaults. */
export interface MastodonServerMetadata {
  readonly issuer: string | null;
  readonly authorizePath: string;
  readonly tokenPath: string;
  readonly revokePath: string;
  readonly registerPath: string;
  readonly pkce: boolean;
}

const LIMITS = { deadlineSeconds: 10, maxBytes: 256 * 1024 } as const;
const HOPS_MAX = 3;
/** Servers before 4.3 publish no metadata. */
const DEFAULT_METADATA: MastodonServerMetadata = {
  issuer: null,
  authorizePath: '/oauth/authorize',
  tokenPath: '/oauth/token',
  revokePath: '/oauth/revoke',
  registerPath: '/api/v1/apps',
  pkce: false,
};

/** Parses a server name, URL or handle as people copy them. Null when it is none of them. */
export function parseInstance(typed: string | undefined, allowHttp: boolean): InstanceInput | null {
  const text = (typed ?? '').replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
  const [, user, domain] = /^@?([\w.-]+)@([^@/\s]+)$/u.exec(text) ?? [];
  const address = domain ?? text;
  const scheme = /^[a-z]+:\/\//i.test(address);
  const complete = scheme ? address : `https://${address}`;
  if (address === '' || !URL.canParse(complete)) return null;
  const url = new URL(complete);
  const isAllowedScheme = url.protocol === 'https:' || (allowHttp && url.protocol === 'http:');
  // A single label is a typing mistake, unless a full URL was entered or it is this machine.
  const isOneWord =
    !url.hostname.includes('.') && !url.hostname.startsWith('[') && url.hostname !== 'localhost';
  if (!isAllowedScheme || url.username || url.password || (!scheme && isOneWord)) return null;
  return { origin: url.origin, handle: user === undefined ? null : `${user}@${url.host}` };
}

/** Queries the servers themselves, and trusts each server only for its own data. */
export function mastodonServers(outbound: Outbound, allowHttp: boolean) {
  const get = (url: string) =>
    outbound.request({ method: 'GET', url, headers: { accept: 'application/json' }, ...LIMITS });

  /**
   * The server of a handle's account according to its domain (WebFinger); the domain itself without an
   * answer.
   */
  async function resolveServer({ origin, handle }: InstanceInput): Promise<MastodonLookup<string>> {
    if (handle === null) return { kind: 'found', value: origin };
    const query = new URLSearchParams({ resource: `acct:${handle}` });
    let url = `${origin}/.well-known/webfinger?${query.toString()}`;
    for (let hop = 0; hop < HOPS_MAX; hop++) {
      const outcome = await get(url);
      if (outcome.kind !== 'answered') return toLookupFailure(outcome);
      const location =
        outcome.status >= 300 && outcome.status < 400 ? outcome.headers['location'] : undefined;
      if (location === undefined) {
        return { kind: 'found', value: findSelfOrigin(parseDocument(outcome), allowHttp) ?? origin };
      }
      if (!URL.canParse(location, url)) return { kind: 'nothing' };
      url = new URL(location, url).href;
      if (!url.startsWith('https://') && !allowHttp) return { kind: 'nothing' };
    }
    return { kind: 'nothing' };
  }

  async function fetchMetadata(origin: string): Promise<MastodonLookup<MastodonServerMetadata>> {
    const outcome = await get(`${origin}/.well-known/oauth-authorization-server`);
    if (outcome.kind !== 'answered') return toLookupFailure(outcome);
    if (outcome.status === 429) return { kind: 'too_many' };
    if (outcome.status >= 500) return { kind: 'unavailable' };
    const metadata = outcome.status === 200 ? parseMetadata(parseDocument(outcome), origin) : null;
    return { kind: 'found', value: metadata ?? DEFAULT_METADATA };
  }

  return { resolveServer, factsOf: fetchMetadata };
}

export const toLookupFailure = (
  outcome: Exclude<OutboundOutcome, { readonly kind: 'answered' }>,
): Exclude<MastodonLookup<never>, { readonly kind: 'found' }> => {
  if (outcome.kind === 'not_sent' && outcome.reason === 'address_refused') return { kind: 'address_refused' };
  const isUnknownHost =
    outcome.kind === 'not_sent' && (outcome.reason === 'dns' || outcome.reason === 'invalid_url');
  return isUnknownHost ? { kind: 'nothing' } : { kind: 'unavailable' };
};

const parseDocument = ({ headers, body }: OutboundResponse) =>
  isJsonContentType(headers['content-type']) ? parseJsonObject(body) : {};

function findSelfOrigin({ links }: Readonly<Record<string, unknown>>, allowHttp: boolean): string | null {
  if (!Array.isArray(links)) return null;
  const self = (links as readonly Record<string, unknown>[]).find((link) => link?.['rel'] === 'self');
  const href = self?.['href'];
  return typeof href === 'string' ? (parseInstance(href, allowHttp)?.origin ?? null) : null;
}

/** Null when a server names endpoints on another origin: they would receive the app's secret and the code. */
function parseMetadata(
  metadata: Readonly<Record<string, unknown>>,
  origin: string,
): MastodonServerMetadata | null {
  const pathOf = (name: string): string | null => {
    const url = metadata[name];
    if (typeof url !== 'string' || !URL.canParse(url)) return null;
    return new URL(url).origin === origin ? new URL(url).pathname : null;
  };
  const paths = {
    authorizePath: pathOf('authorization_endpoint'),
    tokenPath: pathOf('token_endpoint'),
    revokePath: pathOf('revocation_endpoint'),
    registerPath: pathOf('app_registration_endpoint'),
  };
  if (Object.values(paths).some((path) => path === null)) return null;
  const { issuer, code_challenge_methods_supported: methods } = metadata;
  return {
    ...(paths as Record<keyof typeof paths, string>),
    issuer: typeof issuer === 'string' ? issuer : null,
    pkce: Array.isArray(methods) && methods.includes('S256'),
  };
}
