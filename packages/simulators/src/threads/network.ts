import type { SimulatedResponse } from '../wire/exchange.js';
import { type SocialAccount, defineSimulator, starter, type PlatformOptions } from '../wire/simulator.js';
import { containerStore } from '../meta/container-store.js';
import type { FetchFile } from '../meta/fetched-file.js';
import { asMe, badToken, notPermitted, unknownPath, type GraphBearer } from '../meta/graph.js';
import { graphBearerOf, graphLogin } from '../meta/long-lived-tokens.js';
import { threadsRoutes, type ThreadsLimits, type ThreadsState } from './api.js';
import { postStore } from './post-store.js';

interface ThreadsOptions extends PlatformOptions {
  readonly limits?: Partial<ThreadsLimits>;
  /** Omitted: no media can be fetched. */
  readonly fetchFile?: FetchFile;
}

const THREADS_PERMISSIONS = [
  ...['threads_basic', 'threads_content_publish', 'threads_delete', 'threads_manage_insights'],
  ...['threads_manage_replies', 'threads_read_replies'],
] as const;

const ALICE: SocialAccount = { id: '24000000000000001', username: 'alice', name: 'Alice', followers: 12 };

/** Threads according to its documentation, without a socket. */
export function threadsNetwork(options: ThreadsOptions = {}) {
  const { now = () => new Date(), apps = [], fetchFile = async () => null } = options;
  const [posts, containers] = [postStore(now), containerStore(now)];
  const { tokens, serve } = graphLogin({
    prefix: 'th',
    permissions: THREADS_PERMISSIONS,
    apps,
    now,
    account: ALICE.id,
    present: ({ access_token }, { account }) => ({ access_token, user_id: account }),
  });
  const state: ThreadsState = {
    accounts: new Map([[ALICE.id, ALICE]]),
    posts,
    containers,
    fetchFile,
    limits: { posts: 250, replies: 1_000, deletes: 100, ...options.limits },
  };

  return {
    now,
    tokens,
    posts,
    containers,
    /** Changes its limits from now on; the rest stays as it was. */
    limitTo: (more: Partial<ThreadsLimits>) => void (state.limits = { ...state.limits, ...more }),
    ...defineSimulator<ThreadsState, GraphBearer, SimulatedResponse>({
      state,
      oauth: { serve },
      routes: threadsRoutes,
      ownerOf: graphBearerOf(tokens),
      rewrite: (request, { accountId }) => asMe(request, accountId),
      refuses: (_request, { permissions }) => (permissions.includes('threads_basic') ? null : notPermitted),
      unauthorized: badToken,
      notFound: unknownPath,
    }),
  };
}

export const startThreads = starter(threadsNetwork);
