import type { FetchFile } from '../meta/fetched-file.js';
import { oauthServer, type Bearer } from '../wire/oauth-server.js';
import { requireScopes, type RoutedRequest, type Routes } from '../wire/routes.js';
import { defineSimulator, starter, type PlatformOptions } from '../wire/simulator.js';
import {
  okResponse,
  fieldsOf,
  textOf,
  type SimulatedResponse,
  type WireRequest,
  type WireResponse,
} from '../wire/exchange.js';
import { badToken, scopeMissing, errorResponse } from './responses.js';
import { postStore } from './post-store.js';
import * as posting from './posting.js';
import { listVideos, queryVideos, readUser } from './reading.js';
import { taskStore } from './task-store.js';

interface TikTokOptions extends PlatformOptions {
  readonly audited?: boolean;
  readonly postsPerDay?: number;
  readonly initsPerMinute?: number;
  /** Omitted: every https URL. */
  readonly owns?: (url: string) => boolean;
  /** Omitted: no media can be fetched. */
  readonly fetchFile?: FetchFile;
}

export const TIKTOK_SCOPES = [
  ...['user.info.basic', 'user.info.profile', 'user.info.stats'],
  ...['video.list', 'video.publish', 'video.upload'],
] as const;

const ALICE = {
  id: 'afd97af1-b87b-48b9-ac98-410aghda5344',
  username: 'alice',
  name: 'Alice',
  followers: 12,
  isPrivate: false,
  commentsOff: false,
  longestSeconds: 300,
};
export type TikTokAccount = Readonly<typeof ALICE>;
const DAY_SECONDS = 86_400;

const openState = ({ now = () => new Date(), ...rules }: TikTokOptions) => ({
  now,
  posts: postStore(now),
  tasks: taskStore(now),
  accounts: new Map<string, TikTokAccount>([[ALICE.id, ALICE]]),
  audited: rules.audited ?? true,
  postsPerDay: rules.postsPerDay ?? 15,
  initsPerMinute: rules.initsPerMinute ?? 6,
  owns: rules.owns ?? ((url: string) => url.startsWith('https://')),
  fetchFile: rules.fetchFile ?? (async () => null),
  origin: 'https://open-upload.tiktokapis.com',
  failure: null as string | null,
  /** The times of each creator's started posts, and the last one. */
  inits: new Map<string, readonly number[]>(),
  lastInit: new Map<string, number>(),
});
export type TikTokState = ReturnType<typeof openState>;
export type TikTokRequest = RoutedRequest<Bearer>;

const may = requireScopes(scopeMissing);
const routes: Routes<TikTokState, Bearer, SimulatedResponse> = {
  'GET /v2/user/info/': readUser,
  'POST /v2/video/list/': may(['video.list'], listVideos),
  'POST /v2/video/query/': may(['video.list'], queryVideos),
  'POST /v2/post/publish/creator_info/query/': may(['video.publish'], posting.readCreator),
  'POST /v2/post/publish/video/init/': may(['video.publish'], posting.beginVideo),
  'POST /v2/post/publish/content/init/': may(['video.publish'], posting.postPhotos),
  'POST /v2/post/publish/status/fetch/': may(['video.publish'], posting.readPublishStatus),
};

/** TikTok's API v2 according to its documentation, without a socket. */
export function tiktokNetwork(options: TikTokOptions = {}) {
  const state = openState(options);
  const { now, posts, tasks } = state;
  const oauth = oauthServer({
    apps: options.apps ?? [],
    now,
    account: ALICE.id,
    separator: ',',
    clientIdName: 'client_key',
    paths: { authorize: '/v2/auth/authorize/', token: '/v2/oauth/token/' },
    knows: (scope) => (TIKTOK_SCOPES as readonly string[]).includes(scope),
    accessSeconds: 7_200,
    refresh: { seconds: 180 * DAY_SECONDS, rotates: true, fixed: false, field: 'refresh_expires_in' },
    present: (token, { account }) => ({ ...token, token_type: 'Bearer', open_id: account }),
  });
  /** Revokes the whole grant; an invalid token revokes nothing. */
  function revoke({ body }: WireRequest): WireResponse {
    const fields = fieldsOf(body);
    if (!oauth.appOf(fields['client_key'], fields['client_secret'])) {
      return { status: 401, json: { error: 'invalid_client', error_description: 'Client is invalid' } };
    }
    const grant = oauth.grantOf(textOf(fields['token']));
    if (!grant)
      return { status: 400, json: { error: 'invalid_request', error_description: 'Token is invalid' } };
    oauth.withdraw(grant.account);
    return okResponse({});
  }

  return {
    posts,
    tasks,
    oauth,
    account: () => state.accounts.get(ALICE.id) ?? ALICE,
    ...defineSimulator<TikTokState, Bearer, SimulatedResponse>({
      state,
      oauth,
      open: {
        'POST /v2/oauth/revoke/': (_, request) => revoke(request),
        'PUT /video/': posting.receiveChunk,
      },
      routes,
      ownerOf: oauth.bearerOf,
      unauthorized: badToken,
      notFound: errorResponse(404, 'unsupported_path', 'Unsupported path(Janus)'),
      refuses: (_request, { account }) => (state.accounts.has(account) ? null : badToken),
    }),
    /** The owner changes settings. */
    change: (changes: Partial<TikTokAccount>) =>
      void state.accounts.set(ALICE.id, { ...posting.creatorOf(state, ALICE.id), ...changes }),
    /** The failure reason for uploads from now on. */
    failWith: (reason: string | null) => void (state.failure = reason),
    /** The upload origin of videos from now on. */
    setOrigin: (url: string) => void (state.origin = url),
  };
}

export const startTikTok = starter(tiktokNetwork);
