import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { choiceOption, flagOption } from '@switchboard/platform-kit/publish-options';

const TEXT_MAX = 3_000;
const COMMENT_MAX = 1_250;
const IMAGES_MAX = 20;
const post = postMetrics(24);
const MIB = 1024 * 1024;

const oauth2 = {
  authorizePath: '/oauth/v2/authorization',
  tokenPath: '/oauth/v2/accessToken',
  deniedErrors: ['user_cancelled_login', 'user_cancelled_authorize'],
  refreshExpiryField: 'refresh_token_expires_in',
  // LinkedIn's error for an expired refresh token.
  tokenErrors: { ended: ['invalid_request'], app: [] },
} as const;

export const options = [
  choiceOption('visibility', 'Visibility', {
    PUBLIC: 'Anyone',
    LOGGED_IN: 'Members of LinkedIn',
    CONNECTIONS: 'Connections only; not for Pages',
  }),
  flagOption('no_reposts', 'Disable reposts'),
] as const satisfies readonly PublishOption[];

export const postList = { pages: 3, postsPerPage: 100, postsMax: null } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'linkedin',
  name: 'LinkedIn',
  // An app has the products of the first method or the single product of the second, and LinkedIn refuses to
  // authorize any other scope.
  connect: [
    oauthLogin('Continue to LinkedIn', {
      ...oauth2,
      permissions: ['openid', 'profile', 'w_member_social'],
    }),
    {
      ...oauthLogin('Continue with the Pages that you administer', {
        ...oauth2,
        permissions: [
          ...['r_basicprofile', 'w_member_social', 'w_member_social_feed'],
          ...['r_member_postAnalytics', 'r_member_profileAnalytics', 'rw_organization_admin'],
          ...['r_organization_social', 'w_organization_social'],
          ...['r_organization_social_feed', 'w_organization_social_feed'],
        ],
      }),
      id: 'pages',
    },
  ],
  // The permissions that both methods request. Statistics and pages need the second, and report so when they
  // are requested without it.
  permissions: { publishing: ['w_member_social'], analytics: [] },
  text: { max: TEXT_MAX, unit: 'characters', required: true },
  media: {
    max: IMAGES_MAX,
    mixed: false,
    required: false,
    images: {
      max: IMAGES_MAX,
      types: ['image/jpeg', 'image/png'],
      maxBytes: 5 * MIB,
      maxPixels: 36_152_319,
    },
    videos: { max: 1, types: ['video/mp4'], maxBytes: 500 * MIB, minSeconds: 3, maxSeconds: 1_800 },
    documents: { max: 1, types: ['application/pdf'], maxBytes: 100_000_000 },
    altTextMax: 4_086,
    fetches: false,
  },
  firstComment: { max: COMMENT_MAX },
  linkCards: true,
  options,
  metrics: [
    post('impressions', 'impressionCount (IMPRESSION)', 'How often the post was shown.'),
    post('reach', 'uniqueImpressionsCount (MEMBERS_REACHED)', 'How many members saw the post.'),
    post('likes', 'likeCount (REACTION)', 'How many reactions of any kind the post has.'),
    post('comments', 'commentCount (COMMENT)', 'How many comments the post has.'),
    post('shares', 'shareCount (RESHARE)', 'How often the post was reposted.'),
    post(
      'clicks',
      'clickCount (LINK_CLICKS)',
      'Clicks on the post of a Page; clicks on the links of a member’s post.',
    ),
    post('saves', 'POST_SAVE', 'How many members saved the post; only for members, not for Pages.'),
    followersMetric('firstDegreeSize (memberFollowersCount)'),
  ],
  postList,
  setup: {
    consoleUrl: 'https://www.linkedin.com/developers/apps',
    reviewNeeded: true,
    pitfalls: [
      'An app needs “Share on LinkedIn” and “Sign In with LinkedIn using OpenID Connect”, which are open to every app; it then posts for members and reads nothing.',
      'Pages and statistics need a separate app whose only product is “Community Management API”, which LinkedIn reviews; connect the accounts with the second method.',
      'Without that product, a login lasts 60 days and cannot be renewed. With it, and with the refresh tokens that LinkedIn grants to approved partners, a login lasts a year.',
      'A member’s own posts cannot be read back: after a lost response, check on LinkedIn whether the post was published.',
      'Connecting the same member with other permissions ends the app’s previous logins.',
      'A member may make about 150 posts a day.',
      'A post with the same text as a recently removed one is refused for a while: LinkedIn treats it as a duplicate.',
      'A link without media is a card built from the page’s own metadata; LinkedIn no longer reads the page.',
      'To mention a person or Page write @[Name](urn:li:organization:1234) with the exact name that LinkedIn shows.',
      'The alternative text of a document is its title.',
    ],
  },
  baseUrl: 'https://api.linkedin.com',
  authBaseUrl: 'https://www.linkedin.com',
  uploadBaseUrl: 'https://www.linkedin.com',
  apiVersion: '202609',
  apiVersionEndsOn: '2027-09-15',
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api',
};
