import { instanceApi, type MastodonBearer } from './api.js';
import { refusal, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { instanceOauth } from './oauth.js';
import { mediaStore } from './media-store.js';
import { DEFAULT_LIMITS, type MastodonAccount, type InstanceLimits } from './present.js';
import { statusStore } from './status-store.js';

export interface InstanceOptions {
  readonly now?: () => Date;
  readonly accounts?: readonly MastodonAccount[];
  readonly limits?: Partial<InstanceLimits>;
  /** False: a server before 4.3. */
  readonly modern?: boolean;
  /** The number of apps that may be registered. */
  readonly appsMax?: number;
}

const ALICE: MastodonAccount = { id: '109000000000000001', username: 'alice', name: 'Alice', followers: 12 };

/** A Mastodon server according to its documentation, without a socket; the caller provides its origin. */
export function mastodonInstance(options: InstanceOptions = {}) {
  const accounts = new Map((options.accounts ?? [ALICE]).map((account) => [account.id, account]));
  const now = options.now ?? (() => new Date());
  let home = 'http://127.0.0.1:9';
  let limits: InstanceLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const origin = () => home;
  const statuses = statusStore(now);
  const media = mediaStore();
  const oauth = instanceOauth({
    origin,
    modern: options.modern ?? true,
    appsMax: options.appsMax ?? Infinity,
  });
  const api = instanceApi({ origin, accounts, statuses, media, limits: () => limits });

  function webfinger({ method, path, query }: WireRequest): WireResponse | null {
    if (method !== 'GET' || path !== '/.well-known/webfinger') return null;
    const [, name] = /^acct:([^@]+)@/.exec(query.get('resource') ?? '') ?? [];
    const found = [...accounts.values()].find(({ username }) => username === name);
    if (!found) return { status: 404 };
    const self = { rel: 'self', type: 'application/activity+json', href: `${home}/users/${found.username}` };
    return { status: 200, json: { subject: query.get('resource'), links: [self] } };
  }

  return {
    oauth,
    statuses,
    media,
    setOrigin: (url: string) => void (home = url),
    /** Changes its limits from now on; the rest stays as it was. */
    limitTo: (more: Partial<InstanceLimits>) => void (limits = { ...limits, ...more }),
    /** The response for a caller with these scopes; null: anonymous. */
    respondAs(request: WireRequest, bearer: MastodonBearer | null): WireResponse {
      const open = oauth.serve(request) ?? api.open(request) ?? webfinger(request);
      if (open) return open;
      if (!bearer) return refusal(401, 'The access token is invalid');
      return api.serve(request, bearer) ?? refusal(404, 'Record not found');
    },
  };
}

export type MastodonInstance = ReturnType<typeof mastodonInstance>;
