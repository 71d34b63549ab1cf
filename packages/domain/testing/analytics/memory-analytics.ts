import { noMetrics, type MetricName, type Metrics } from '../../src/analytics/metrics.js';
import { refuse } from '../../src/failure.js';
import type {
  Analytics,
  Clock,
  ListedPost,
  Manifest,
  Platform,
  PostListFacts,
  PostsPageRequest,
  Session,
} from '../../src/ports/index.js';
import { ok } from '../../src/result.js';
import { bareManifest } from '../bare-manifest.js';

interface MemoryAnalyticsOptions {
  readonly clock: Clock;
  readonly id?: string;
  readonly latencyMs?: number;
  /** Metrics of posts by their external id; a post without any is unknown to the platform. */
  readonly posts?: Readonly<Record<string, Partial<Metrics>>>;
  /** Metrics of the account; null for a platform that reports none. */
  readonly account?: Partial<Metrics> | null;
  /** Metrics that it reports although no post above has them. */
  readonly reports?: Partial<Metrics>;
  /** Its delay after publishing. */
  readonly lagHours?: number;
  /** What the account gained by day, where it is reported. Its posts have no metrics then. */
  readonly days?: Readonly<Record<string, Partial<Metrics>>>;
  readonly name?: string;
  /** The permissions that reading metrics requires. */
  readonly permissions?: readonly string[];
  /** A platform without analytics. */
  readonly hasNoAnalytics?: boolean;
  /** How it lists the account's posts: those in `listed`, which tests fill. Omitted: it lists none. */
  readonly postList?: PostListFacts;
}

/** An in-memory social platform that returns the given metrics, and records its requests. */
export function memoryAnalytics({
  clock,
  id = 'memory_feed',
  latencyMs = 5,
  ...options
}: MemoryAnalyticsOptions) {
  const posts = new Map(Object.entries(options.posts ?? {}));
  const { account = {} } = options;
  const define = (metrics: Partial<Metrics>, subject: 'post' | 'account') =>
    Object.keys(metrics).map((metric) => ({
      metric: metric as MetricName,
      nativeName: metric,
      definition: metric,
      lagHours: options.lagHours ?? 0,
      subject,
    }));
  const reported = Object.assign({}, ...posts.values(), options.reports) as Partial<Metrics>;
  const ofDay = Object.assign({}, ...Object.values(options.days ?? {})) as Partial<Metrics>;
  const switches = { down: false, latencyMs, accountFails: false, listingFails: false };
  const listed: ListedPost[] = [];
  const pages: (string | null)[] = [];
  /** Every request for metrics: the requested posts, or the account. */
  const asked: (readonly string[] | 'account')[] = [];
  const down = () => refuse('platform.unavailable', 'The platform cannot be reached.');

  const ofPosts: NonNullable<Analytics['ofPosts']> = async (session, externalIds) => {
    asked.push([...externalIds]);
    await clock.sleep(switches.latencyMs, session.signal);
    if (switches.down || session.signal.aborted) return down();
    return ok(
      new Map(
        externalIds.flatMap((externalId): [string, Metrics][] => {
          const known = posts.get(externalId);
          return known ? [[externalId, { ...noMetrics, ...known }]] : [];
        }),
      ),
    );
  };

  const ofDays: NonNullable<Analytics['ofDays']> = async (session, { from, to }) => {
    asked.push([from, to]);
    await clock.sleep(switches.latencyMs, session.signal);
    if (switches.down || session.signal.aborted) return down();
    const known = Object.entries(options.days ?? {}).filter(([date]) => date >= from && date <= to);
    return ok(known.map(([date, metrics]) => ({ date, metrics: { ...noMetrics, ...metrics } })));
  };

  const platform: Platform = {
    manifest: {
      ...manifest,
      id,
      name: options.name ?? manifest.name,
      permissions: { analytics: options.permissions ?? [] },
      postList: options.postList ?? null,
      metrics: options.hasNoAnalytics
        ? []
        : [...define(reported, 'post'), ...define({ ...account, ...ofDay }, 'account')],
    },
    connecting: { identify: () => Promise.reject(new Error('not asked here')) },
    ...(!options.hasNoAnalytics && {
      analytics: options.days
        ? { ofDays }
        : {
            ofPosts,
            ...(options.postList && {
              async listPosts(session: Session, { cursor, since }: PostsPageRequest) {
                pages.push(cursor);
                await clock.sleep(switches.latencyMs, session.signal);
                if (switches.down || switches.listingFails || session.signal.aborted) return down();
                const all = listed
                  .filter(({ publishedAt }) => since === null || publishedAt >= since)
                  .sort((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime());
                const start = Number(cursor ?? 0);
                const end = start + (options.postList?.postsPerPage ?? 0);
                return ok({
                  posts: all.slice(start, end),
                  next:
                    end < Math.min(all.length, options.postList?.postsMax ?? Infinity) ? String(end) : null,
                });
              },
            }),
            ...(account && {
              async ofAccount(session: Session) {
                asked.push('account');
                await clock.sleep(switches.latencyMs, session.signal);
                const fails = switches.down || switches.accountFails || session.signal.aborted;
                return fails ? down() : ok({ ...noMetrics, ...account });
              },
            }),
          },
    }),
  };
  return { platform, posts, switches, asked, listed, pages };
}

export type MemoryAnalytics = ReturnType<typeof memoryAnalytics>;

const manifest: Manifest = { ...bareManifest, id: 'memory_feed', name: 'Memory feed', kind: 'social' };
