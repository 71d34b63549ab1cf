import { instanceRoutes, openRoutes, type ApiWorld, type MastodonBearer } from './api.js';
import { type SocialAccount, defineSimulator, starter } from '../wire/simulator.js';
import { instanceMedia } from './media.js';
import { refusal } from '../wire/exchange.js';
import { instanceOauth } from './oauth.js';
import { mediaStore } from './media-store.js';
import { DEFAULT_LIMITS, type InstanceLimits } from './present.js';
import { statusStore } from './status-store.js';

interface InstanceOptions {
  readonly now?: () => Date;
  readonly accounts?: readonly SocialAccount[];
  readonly limits?: Partial<InstanceLimits>;
  /** False: a server before 4.3. */
  readonly modern?: boolean;
  /** The number of apps that may be registered. */
  readonly appsMax?: number;
}

const ALICE: SocialAccount = { id: '109000000000000001', username: 'alice', name: 'Alice', followers: 12 };

/** A Mastodon server according to its documentation, without a socket; the caller provides its origin. */
export function mastodonInstance(options: InstanceOptions = {}) {
  const accounts = new Map((options.accounts ?? [ALICE]).map((account) => [account.id, account]));
  const now = options.now ?? (() => new Date());
  let home = 'http://127.0.0.1:9';
  let limits: InstanceLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const origin = () => home;
  const statuses = statusStore(now);
  const media = mediaStore(now);
  const oauth = instanceOauth({
    now,
    origin,
    modern: options.modern ?? true,
    appsMax: options.appsMax ?? Infinity,
  });
  const bounds = () => limits;
  const uploads = instanceMedia({ origin, media, limits: bounds });
  const state: ApiWorld = { origin, accounts, statuses, media, uploads, limits: bounds };

  return {
    oauth,
    statuses,
    media,
    setOrigin: (url: string) => void (home = url),
    /** Changes its limits from now on; the rest stays as it was. */
    limitTo: (more: Partial<InstanceLimits>) => void (limits = { ...limits, ...more }),
    ...defineSimulator<ApiWorld, MastodonBearer>({
      state,
      oauth,
      open: openRoutes,
      routes: instanceRoutes,
      ownerOf(request) {
        const grant = oauth.bearerOf(request);
        if (!grant) return null;
        const { account: accountId, scopes, clientId } = grant;
        return { accountId, scopes, application: oauth.nameOf(clientId) };
      },
      unauthorized: refusal(401, 'The access token is invalid'),
      notFound: refusal(404, 'Record not found'),
    }),
  };
}

export const startMastodon = starter(mastodonInstance);
export type RunningMastodon = Awaited<ReturnType<typeof startMastodon>>;
