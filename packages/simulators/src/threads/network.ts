import { codeExchange, type OAuthApp } from '../wire/code-exchange.js';
import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { containerStore } from '../meta/container-store.js';
import type { FetchFile } from '../meta/fetched-file.js';
import { badToken, type GraphBearer } from '../meta/graph.js';
import { longLivedTokens } from '../meta/long-lived-tokens.js';
import { threadsApi, type ThreadsLimits } from './api.js';
import { postStore } from './post-store.js';
import type { ThreadsAccount } from './present.js';

export interface ThreadsOptions {
  readonly now?: () => Date;
  readonly apps?: readonly OAuthApp[];
  readonly accounts?: readonly [ThreadsAccount, ...ThreadsAccount[]];
  readonly limits?: Partial<ThreadsLimits>;
  /** Omitted: no media can be fetched. */
  readonly fetchFile?: FetchFile;
}

export const THREADS_PERMISSIONS = [
  ...['threads_basic', 'threads_content_publish', 'threads_delete', 'threads_manage_insights'],
  ...['threads_manage_replies', 'threads_read_replies'],
] as const;

const ALICE: ThreadsAccount = { id: '24000000000000001', username: 'alice', name: 'Alice', followers: 12 };
const HOUR_SECONDS = 3_600;

/** Threads according to its documentation, without a socket. */
export function threadsNetwork(options: ThreadsOptions = {}) {
  const { now = () => new Date(), apps = [], accounts = [ALICE] } = options;
  const fetchFile = options.fetchFile ?? (async () => null);
  const posts = postStore(now);
  const containers = containerStore(now, 17_900_000_000_000_001n);
  let limits: ThreadsLimits = { posts: 250, replies: 1_000, deletes: 100, ...options.limits };
  const tokens = codeExchange({
    apps,
    now,
    account: accounts[0].id,
    separator: ',',
    clientAuth: 'body',
    pkce: 'optional',
    paths: { authorize: '/oauth/authorize', token: '/oauth/access_token' },
    knows: (scope) => (THREADS_PERMISSIONS as readonly string[]).includes(scope),
    codeSeconds: HOUR_SECONDS,
    accessSeconds: HOUR_SECONDS,
    refresh: null,
    present: ({ access_token }, { account }) => ({ access_token, user_id: account }),
  });
  const lasting = longLivedTokens({
    tokens,
    now,
    exchange: {
      path: '/access_token',
      grantType: 'th_exchange_token',
      tokenParameter: 'access_token',
      withClientId: false,
    },
    renewal: { path: '/refresh_access_token', grantType: 'th_refresh_token' },
  });
  const known = new Map(accounts.map((account) => [account.id, account]));
  const api = threadsApi({ accounts: known, posts, containers, limits: () => limits, fetchFile });

  return {
    now,
    tokens,
    posts,
    containers,
    /** Changes its limits from now on; the rest stays as it was. */
    limitTo: (more: Partial<ThreadsLimits>) => void (limits = { ...limits, ...more }),
    /** The response for a caller with these permissions; null: anonymous. */
    respondAs(request: WireRequest, bearer: GraphBearer | null): WireResponse | Promise<WireResponse> {
      const open = tokens.serve(request) ?? lasting.serve(request);
      return open ?? (bearer ? api.serve(request, bearer) : badToken);
    },
    /** The response for the owner of the request's token. */
    respond(request: WireRequest): WireResponse | Promise<WireResponse> {
      const inHeader = /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1];
      const grant = tokens.grantOf(inHeader ?? request.query.get('access_token') ?? '');
      return this.respondAs(request, grant && { accountId: grant.account, permissions: grant.scopes });
    },
  };
}

export type ThreadsNetwork = ReturnType<typeof threadsNetwork>;
