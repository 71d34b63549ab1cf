import {
  noMetrics,
  ok,
  quotePlatform,
  refuse,
  type Analytics,
  type MetricName,
  type Metrics,
  type PlatformAnswer,
  type Session,
} from '@switchboard/domain';
import type { Words, Answer } from '../kit/answers.js';
import { readEach, readGroups } from '../kit/read-metrics.js';
import { ask, inUrl, missing } from './ask.js';
import { isPage } from './connecting.js';
import {
  anything,
  dialect,
  memberFollowers,
  memberStatistic,
  pageFollowers,
  shareStatistics,
  type ShareStatistics,
} from './wire.js';

/** As many rows as LinkedIn tells where nobody says how many. */
const POSTS_PER_REQUEST = 10;
/** One question each, for every post. */
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
  async ofPosts(session, externalIds) {
    if (isPage(session.account.id))
      return readGroups(externalIds, POSTS_PER_REQUEST, (some) => ofPagePosts(session, some));
    const untold = untoldWithout(session, 'r_member_postAnalytics');
    return untold ?? readEach(externalIds, 1, (urn) => ofMemberPost(session, urn));
  },

  async ofAccount(session) {
    const followers = isPage(session.account.id)
      ? await followersOfPage(session)
      : (untoldWithout(session, 'r_member_profileAnalytics') ?? (await followersOfMember(session)));
    return followers.ok ? ok({ ...noMetrics, followers: known(followers.value) }) : followers;
  },
};

/** Connecting again the same way would not help whoever came through an app that LinkedIn tells no numbers. */
const untoldWithout = ({ grantedPermissions }: Session, permission: string) =>
  grantedPermissions.includes(permission)
    ? undefined
    : refuse(
        'platform.permission_missing',
        'LinkedIn tells numbers only to an app with its product “Community Management API”, which this account was not connected through. Connect it the second way, with such an app.',
      );

/** LinkedIn writes -1 for what it cannot tell. */
const known = (told: number | null | undefined): number | null => (told == null || told < 0 ? null : told);

async function ofPagePosts(session: Session, urns: readonly string[]): Answer<ReadonlyMap<string, Metrics>> {
  const path = `/rest/organizationalEntityShareStatistics?${queryOf(session, urns)}`;
  const told = await ask(session, { method: 'GET', path, effect: 'read' }, shareStatistics, notAdministrator);
  if (!told.ok) return told;
  const found = new Map(told.value.elements.map((one) => [one.share ?? one.ugcPost ?? '', metricsOf(one)]));
  for (const urn of urns.filter((one) => !found.has(one))) {
    // Of one that nobody has seen yet there is no row, and neither of one that is gone.
    const request = { method: 'GET', path: `/rest/posts/${inUrl(urn)}`, effect: 'read' } as const;
    const seen = await ask(session, request, anything, missing);
    if (!seen.ok) return seen;
    if (seen.value !== null) found.set(urn, noMetrics);
  }
  return ok(found);
}

/** Whoever may post for a page and not look after it can allow nothing more. */
const notAdministrator = ({ message, code }: Words, { status }: PlatformAnswer) =>
  status === 403
    ? refuse(
        'platform.permission_missing',
        'LinkedIn tells the numbers of a page only to somebody who is an administrator of it, and allowed them.',
        { platform: quotePlatform(dialect.name, message, code) },
      )
    : undefined;

function queryOf({ account }: Session, urns: readonly string[]): string {
  const isUgc = (urn: string) => urn.startsWith('urn:li:ugcPost:');
  const list = (name: string, of: readonly string[]) =>
    of.length === 0 ? '' : `&${name}=List(${of.map(inUrl).join(',')})`;
  const [shares, ugcPosts] = [urns.filter((urn) => !isUgc(urn)), urns.filter(isUgc)];
  const whose = `q=organizationalEntity&organizationalEntity=${inUrl(account.id)}`;
  return `${whose}${list('shares', shares)}${list('ugcPosts', ugcPosts)}`;
}

const metricsOf = ({ totalShareStatistics: told }: ShareStatistics): Metrics => ({
  ...noMetrics,
  impressions: known(told.impressionCount),
  reach: known(told.uniqueImpressionsCount),
  likes: known(told.likeCount),
  comments: known(told.commentCount),
  shares: known(told.shareCount),
  clicks: known(told.clickCount),
});

/** Null of a post that is gone. */
async function ofMemberPost(session: Session, urn: string): Answer<Metrics | null> {
  const kind = urn.startsWith('urn:li:ugcPost:') ? 'ugc' : 'share';
  const read = await Promise.all(
    MEMBER_NUMBERS.map(async ([metric, queryType]) => {
      const query = `q=entity&entity=(${kind}:${inUrl(urn)})&queryType=${queryType}&aggregation=TOTAL`;
      const path = `/rest/memberCreatorPostAnalytics?${query}`;
      const told = await ask(session, { method: 'GET', path, effect: 'read' }, memberStatistic, missing);
      return { metric, told };
    }),
  );
  const metrics: Record<MetricName, number | null> = { ...noMetrics };
  for (const { metric, told } of read) {
    if (!told.ok) {
      // A version of the API may not know one of the questions: that is no reason to do without the others.
      if (told.failure.code !== 'platform.refused' || read.every((one) => !one.told.ok)) return told;
      continue;
    }
    if (told.value === null) return ok(null);
    metrics[metric] = known(told.value.elements[0]?.count);
  }
  return ok(metrics);
}

async function followersOfPage(session: Session): Answer<number | null | undefined> {
  const path = `/rest/networkSizes/${inUrl(session.account.id)}`;
  const query = { edgeType: 'COMPANY_FOLLOWED_BY_MEMBER' };
  const told = await ask(session, { method: 'GET', path, query, effect: 'read' }, pageFollowers);
  return told.ok ? ok(told.value.firstDegreeSize) : told;
}

async function followersOfMember(session: Session): Answer<number | null | undefined> {
  const request = { method: 'GET', path: '/rest/memberFollowersCount?q=me', effect: 'read' } as const;
  const told = await ask(session, request, memberFollowers);
  return told.ok ? ok(told.value.elements[0]?.memberFollowersCount) : told;
}
