import type { FetchFile } from '../meta/fetched-file.js';
import { codeExchange, type OAuthApp } from '../wire/code-exchange.js';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { badToken, scopeMissing, errorResponse } from './responses.js';
import { postStore } from './post-store.js';
import { posting, type TikTokCreator } from './posting.js';
import { listVideos, queryVideos, userInfo } from './reading.js';
import { taskStore } from './task-store.js';

export interface TikTokAccount extends TikTokCreator {
  readonly followers: number;
}

export interface TikTokOptions {
  readonly now?: () => Date;
  readonly apps?: readonly OAuthApp[];
  readonly accounts?: readonly [TikTokAccount, ...TikTokAccount[]];
  readonly audited?: boolean;
  readonly postsPerDay?: number;
  readonly initsPerMinute?: number;
  /** Omitted: every https URL. */
  readonly owns?: (url: string) => boolean;
  /** Omitted: no media can be fetched. */
  readonly fetchFile?: FetchFile;
  /** The upload origin of videos; default TikTok's own. */
  readonly uploadOrigin?: () => string;
}

export interface TikTokBearer {
  readonly accountId: string;
  readonly scopes: readonly string[];
}

export const TIKTOK_SCOPES = [
  ...['user.info.basic', 'user.info.profile', 'user.info.stats'],
  ...['video.list', 'video.publish', 'video.upload'],
] as const;

export const ALICE: TikTokAccount = {
  id: 'afd97af1-b87b-48b9-ac98-410aghda5344',
  username: 'alice',
  name: 'Alice',
  followers: 12,
  isPrivate: false,
  commentsOff: false,
  longestSeconds: 300,
};
const DAY_SECONDS = 86_400;

/** TikTok's API v2 according to its documentation, without a socket. */
export function tiktokNetwork(options: TikTokOptions = {}) {
  const { now = () => new Date(), apps = [], accounts = [ALICE], audited = true } = options;
  const [posts, tasks] = [postStore(now), taskStore(now)];
  let known = new Map(accounts.map((account) => [account.id, account]));
  let failure: string | null = null;
  const oauth = codeExchange({
    apps,
    now,
    account: accounts[0].id,
    separator: ',',
    clientIdName: 'client_key',
    clientAuth: 'body',
    paths: { authorize: '/v2/auth/authorize/', token: '/v2/oauth/token/' },
    knows: (scope) => (TIKTOK_SCOPES as readonly string[]).includes(scope),
    pkce: 'optional',
    codeSeconds: 600,
    accessSeconds: 7_200,
    refresh: { seconds: 180 * DAY_SECONDS, rotates: true, fixed: false, field: 'refresh_expires_in' },
    present: (token, { account }) => ({ ...token, token_type: 'Bearer', open_id: account }),
  });
  const api = posting({
    posts,
    tasks,
    now,
    audited,
    postsPerDay: options.postsPerDay ?? 15,
    initsPerMinute: options.initsPerMinute ?? 6,
    owns: options.owns ?? ((url) => url.startsWith('https://')),
    fetchFile: options.fetchFile ?? (async () => null),
    uploadOrigin: options.uploadOrigin ?? (() => 'https://open-upload.tiktokapis.com'),
    failure: () => failure,
  });

  /** Revokes the whole grant; an invalid token revokes nothing. */
  function revoke({ body }: WireRequest): WireResponse {
    const fields = fieldsOf(body);
    const app = oauth.appOf(textOf(fields['client_key']), textOf(fields['client_secret']));
    if (!app)
      return { status: 401, json: { error: 'invalid_client', error_description: 'Client is invalid' } };
    const grant = oauth.grantOf(textOf(fields['token']));
    if (!grant)
      return { status: 400, json: { error: 'invalid_request', error_description: 'Token is invalid' } };
    oauth.withdraw(grant.account);
    return okResponse({});
  }

  function serve(request: WireRequest, bearer: TikTokBearer): WireResponse | Promise<WireResponse> {
    const account = known.get(bearer.accountId);
    if (!account) return badToken;
    const { method, path, query, body } = request;
    const may = (scope: string, then: () => WireResponse | Promise<WireResponse>) =>
      bearer.scopes.includes(scope) ? then() : scopeMissing(scope);
    switch (`${method} ${path}`) {
      case 'GET /v2/user/info/':
        return userInfo(account, query, bearer.scopes);
      case 'POST /v2/video/list/':
        return may('video.list', () => listVideos(posts, account, request));
      case 'POST /v2/video/query/':
        return may('video.list', () => queryVideos(posts, account, request));
      case 'POST /v2/post/publish/creator_info/query/':
        return may('video.publish', () => api.creatorInfo(account));
      case 'POST /v2/post/publish/video/init/':
        return may('video.publish', () => api.startVideo(body, account));
      case 'POST /v2/post/publish/content/init/':
        return may('video.publish', () => api.postPhotos(body, account));
      case 'POST /v2/post/publish/status/fetch/':
        return may('video.publish', () => api.status(body, account));
      default:
        return errorResponse(404, 'unsupported_path', 'Unsupported path(Janus)');
    }
  }

  return {
    posts,
    tasks,
    oauth,
    account: () => known.get(accounts[0].id) ?? accounts[0],
    /** The owner changes settings. */
    change(changes: Partial<TikTokAccount>): void {
      const [first] = accounts;
      known = new Map([...known, [first.id, { ...(known.get(first.id) ?? first), ...changes }]]);
    },
    /** The failure reason for uploads from now on. */
    failWith: (reason: string | null) => void (failure = reason),
    /** The endpoints without a token: OAuth and upload URLs; null for all others. */
    open(request: WireRequest): WireResponse | null {
      if (`${request.method} ${request.path}` === 'POST /v2/oauth/revoke/') return revoke(request);
      if (`${request.method} ${request.path}` === 'PUT /video/') return api.receive(request);
      return oauth.serve(request);
    },
    /** The response for a caller with these scopes; null: anonymous. */
    respondAs(request: WireRequest, bearer: TikTokBearer | null): WireResponse | Promise<WireResponse> {
      return this.open(request) ?? (bearer ? serve(request, bearer) : badToken);
    },
  };
}

export type TikTokNetwork = ReturnType<typeof tiktokNetwork>;
