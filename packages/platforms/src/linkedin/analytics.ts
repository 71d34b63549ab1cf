import {
  ok,
  quotePlatform,
  refuse,
  noMetrics,
  type MetricName,
  type Metrics,
  type Analytics,
  type PlatformResponse,
  type Session,
} from '@switchboard/platform-kit';
import {
  anyResponse,
  nullIfNotFound,
  type AdapterResult,
  type PlatformError,
} from '@switchboard/platform-kit/platform-client';
import { readEach, readInBatches } from '@switchboard/platform-kit/read-metrics';
import { encodeUrn, requestJson } from './client.js';
import { isPage } from './connecting.js';
import {
  errorMapping,
  memberFollowers,
  memberStatistic,
  pageFollowers,
  shareStatistics,
  type ShareStatistics,
  listedPosts,
} from './wire.js';
import { listPage } from './list-page.js';
import { parseLittleText } from './little-text.js';
import { ownPostsRequest, partOf, stateOf } from './post-state.js';
import { canRead } from './read-access.js';

/** The row count to request where LinkedIn documents no default. */
const POSTS_PER_REQUEST = 10;
/** One request per metric, for every post. */
const MEMBER_NUMBERS = [
  ['impressions', 'IMPRESSION'],
  ['reach', 'MEMBERS_REACHED'],
  ['likes', 'REACTION'],
  ['comments', 'COMMENT'],
  ['shares', 'RESHARE'],
  ['clicks', 'LINK_CLICKS'],
  ['saves', 'POST_SAVE'],
] as const satisfies readonly (readonly [MetricName, string])[];

export const analytics: Analytics = {
  /** A reshare without words is no post of the account. */
  async listPosts(session, { cursor }) {
    if (!canRead(session, 'r_member_social')) {
      return refuse('platform.permission_missing', 'LinkedIn does not let apps list a member’s own posts.');
    }
    const page = await listPage(session, ownPostsRequest(session), listedPosts, cursor ?? undefined);
    if (!page.ok) return page;
    const own = page.value.found.filter(
      ({ lifecycleState, reshareContext, commentary }) =>
        stateOf(lifecycleState) === 'published' && (reshareContext == null || commentary !== ''),
    );
    return ok({
      posts: own.map(({ id, createdAt, commentary }) => ({
        externalId: id,
        publishedAt: new Date(createdAt),
        url: partOf(id).url,
        text: parseLittleText(commentary),
        metrics: null,
      })),
      next: page.value.next ?? null,
    });
  },

  async ofPosts(session, externalIds) {
    if (isPage(session.account.id))
      return readInBatches(externalIds, POSTS_PER_REQUEST, (some) => readPagePosts(session, some));
    const unreported = refuseWithoutPermission(session, 'r_member_postAnalytics');
    return unreported ?? readEach(externalIds, 1, (urn) => readMemberPost(session, urn));
  },

  async ofAccount(session) {
    const followers = isPage(session.account.id)
      ? await followersOfPage(session)
      : (refuseWithoutPermission(session, 'r_member_profileAnalytics') ?? (await followersOfMember(session)));
    return followers.ok ? ok({ ...noMetrics, followers: knownCount(followers.value) }) : followers;
  },
};

/** Reconnecting the same way would not help an account connected through an app without metrics. */
const refuseWithoutPermission = ({ grantedPermissions }: Session, permission: string) =>
  grantedPermissions.includes(permission)
    ? undefined
    : refuse(
        'platform.permission_missing',
        'LinkedIn provides metrics only to apps with its product “Community Management API”. Reconnect the account with that connect method.',
      );

/** LinkedIn writes -1 for an unavailable value. */
const knownCount = (reported: number | null | undefined): number | null =>
  reported == null || reported < 0 ? null : reported;

async function readPagePosts(
  session: Session,
  urns: readonly string[],
): AdapterResult<ReadonlyMap<string, Metrics>> {
  const path = `/rest/organizationalEntityShareStatistics?${queryOf(session, urns)}`;
  const result = await requestJson(session, path, shareStatistics, notAdministrator);
  if (!result.ok) return result;
  const found = new Map(result.value.elements.map((one) => [one.share ?? one.ugcPost ?? '', metricsOf(one)]));
  for (const urn of urns.filter((one) => !found.has(one))) {
    // A post without views has no row, and neither has one that is gone.
    const seen = await requestJson(session, `/rest/posts/${encodeUrn(urn)}`, anyResponse, nullIfNotFound);
    if (!seen.ok) return seen;
    if (seen.value !== null) found.set(urn, noMetrics);
  }
  return ok(found);
}

/** A person who may post for a page without administering it cannot grant more. */
const notAdministrator = ({ message, code }: PlatformError, { status }: PlatformResponse) =>
  status === 403
    ? refuse(
        'platform.permission_missing',
        'LinkedIn provides page metrics only to page administrators who granted the permission.',
        { platform: quotePlatform(errorMapping.name, message, code) },
      )
    : undefined;

function queryOf({ account }: Session, urns: readonly string[]): string {
  const isUgc = (urn: string) => urn.startsWith('urn:li:ugcPost:');
  const list = (name: string, of: readonly string[]) =>
    of.length === 0 ? '' : `&${name}=List(${of.map(encodeUrn).join(',')})`;
  const [shares, ugcPosts] = [urns.filter((urn) => !isUgc(urn)), urns.filter(isUgc)];
  const whose = `q=organizationalEntity&organizationalEntity=${encodeUrn(account.id)}`;
  return `${whose}${list('shares', shares)}${list('ugcPosts', ugcPosts)}`;
}

const metricsOf = ({ totalShareStatistics: reported }: ShareStatistics): Metrics => ({
  ...noMetrics,
  impressions: knownCount(reported.impressionCount),
  reach: knownCount(reported.uniqueImpressionsCount),
  likes: knownCount(reported.likeCount),
  comments: knownCount(reported.commentCount),
  shares: knownCount(reported.shareCount),
  clicks: knownCount(reported.clickCount),
});

/** Null for a post that is gone. */
async function readMemberPost(session: Session, urn: string): AdapterResult<Metrics | null> {
  const kind = urn.startsWith('urn:li:ugcPost:') ? 'ugc' : 'share';
  const read = await Promise.all(
    MEMBER_NUMBERS.map(async ([metric, queryType]) => {
      const query = `q=entity&entity=(${kind}:${encodeUrn(urn)})&queryType=${queryType}&aggregation=TOTAL`;
      const path = `/rest/memberCreatorPostAnalytics?${query}`;
      const result = await requestJson(session, path, memberStatistic, nullIfNotFound);
      return { metric, result: result };
    }),
  );
  const metrics: Record<MetricName, number | null> = { ...noMetrics };
  for (const { metric, result } of read) {
    if (!result.ok) {
      // An API version may not support one of the metrics: the others are still returned.
      if (result.failure.code !== 'platform.refused' || read.every((one) => !one.result.ok)) return result;
      continue;
    }
    if (result.value === null) return ok(null);
    metrics[metric] = knownCount(result.value.elements[0]?.count);
  }
  return ok(metrics);
}

async function followersOfPage(session: Session): AdapterResult<number | null | undefined> {
  const path = `/rest/networkSizes/${encodeUrn(session.account.id)}`;
  const query = { edgeType: 'COMPANY_FOLLOWED_BY_MEMBER' };
  const result = await requestJson(session, { path, query }, pageFollowers);
  return result.ok ? ok(result.value.firstDegreeSize) : result;
}

async function followersOfMember(session: Session): AdapterResult<number | null | undefined> {
  const result = await requestJson(session, '/rest/memberFollowersCount?q=me', memberFollowers);
  return result.ok ? ok(result.value.elements[0]?.memberFollowersCount) : result;
}
