import { instanceApi, type Bearer } from './api.js';
import { refusal, type WireAnswer, type WireRequest } from '../wire/exchange.js';
import { instanceOauth } from './oauth.js';
import { mediaBook } from './media-book.js';
import { DEFAULT_LIMITS, type Account, type Limits } from './present.js';
import { statusBook } from './statuses.js';

export interface InstanceOptions {
  readonly now?: () => Date;
  readonly accounts?: readonly Account[];
  readonly limits?: Partial<Limits>;
  /** False: a server from before 4.3. */
  readonly modern?: boolean;
  /** How many apps may be made there. */
  readonly appsMax?: number;
}

const ALICE: Account = { id: '109000000000000001', username: 'alice', name: 'Alice', followers: 12 };

/** A Mastodon server as its documentation describes it, without a socket: whoever serves it says where it lives. */
export function mastodonInstance(options: InstanceOptions = {}) {
  const accounts = new Map((options.accounts ?? [ALICE]).map((account) => [account.id, account]));
  const now = options.now ?? (() => new Date());
  let home = 'http://127.0.0.1:9';
  let limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const origin = () => home;
  const statuses = statusBook(now);
  const media = mediaBook();
  const oauth = instanceOauth({
    origin,
    modern: options.modern ?? true,
    appsMax: options.appsMax ?? Infinity,
  });
  const api = instanceApi({ origin, accounts, statuses, media, limits: () => limits });

  function webfinger({ method, path, query }: WireRequest): WireAnswer | null {
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
    livesAt: (url: string) => void (home = url),
    /** What it takes from now on; the rest as it was. */
    limitTo: (more: Partial<Limits>) => void (limits = { ...limits, ...more }),
    /** The answer to somebody with these rights; null: to nobody in particular. */
    answerAs(request: WireRequest, bearer: Bearer | null): WireAnswer {
      const open = oauth.serve(request) ?? api.open(request) ?? webfinger(request);
      if (open) return open;
      if (!bearer) return refusal(401, 'The access token is invalid');
      return api.serve(request, bearer) ?? refusal(404, 'Record not found');
    },
  };
}

export type MastodonInstance = ReturnType<typeof mastodonInstance>;
