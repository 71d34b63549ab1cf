import type { Manifest } from '@switchboard/domain';
import { followersMetric, postMetrics } from '../kit/metric-facts.js';

export const TEXT_MAX = 3_000;
export const COMMENT_MAX = 1_250;
export const IMAGES_MAX = 20;
const post = postMetrics(24);
const MIB = 1024 * 1024;

const oauth2 = {
  authorizePath: '/oauth/v2/authorization',
  tokenPath: '/oauth/v2/accessToken',
  revokePath: null,
  pkce: false,
  clientAuth: 'body',
  issuerPath: null,
  deniedErrors: ['user_cancelled_login', 'user_cancelled_authorize'],
  refreshEndsField: 'refresh_token_expires_in',
  // What a refresh token is told whose time is over.
  tokenErrors: { ended: ['invalid_request'], app: [] },
} as const;

export const manifest: Manifest = {
  id: 'linkedin',
  name: 'LinkedIn',
  kind: 'social',
  sandbox: false,
  // An app has the products of the one way or the one product of the other, and LinkedIn refuses to ask for anything else.
  connect: [
    {
      id: 'oauth',
      scheme: 'oauth2',
      label: 'Continue to LinkedIn',
      fields: [],
      needsApp: true,
      oauth2: { ...oauth2, permissions: ['openid', 'profile', 'w_member_social'] },
    },
    {
      id: 'pages',
      scheme: 'oauth2',
      label: 'Continue with the pages that you look after',
      fields: [],
      needsApp: true,
      oauth2: {
        ...oauth2,
        permissions: [
          ...['r_basicprofile', 'w_member_social', 'w_member_social_feed'],
          ...['r_member_postAnalytics', 'r_member_profileAnalytics', 'rw_organization_admin'],
          ...['r_organization_social', 'w_organization_social'],
          ...['r_organization_social_feed', 'w_organization_social_feed'],
        ],
      },
    },
  ],
  // What both ways ask for. Statistics and pages need the second, and say so when they are asked for without it.
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
  title: null,
  thread: false,
  firstComment: { max: COMMENT_MAX },
  linkCards: true,
  options: [
    {
      name: 'visibility',
      label: 'Who can see it',
      type: 'choice',
      required: false,
      choices: [
        { value: 'PUBLIC', label: 'Anyone' },
        { value: 'LOGGED_IN', label: 'Members of LinkedIn' },
        { value: 'CONNECTIONS', label: 'Connections only; not for pages' },
      ],
    },
    { name: 'no_reposts', label: 'Nobody may repost it', type: 'boolean', required: false },
  ],
  metrics: [
    post('impressions', 'impressionCount (IMPRESSION)', 'How often the post was shown.'),
    post('reach', 'uniqueImpressionsCount (MEMBERS_REACHED)', 'How many members saw the post.'),
    post('likes', 'likeCount (REACTION)', 'How many reactions the post has, of every kind.'),
    post('comments', 'commentCount (COMMENT)', 'How many comments the post has.'),
    post('shares', 'shareCount (RESHARE)', 'How often the post was reposted.'),
    post('clicks', 'clickCount (LINK_CLICKS)', 'Clicks on the post of a page; on the links of a member’s.'),
    post('saves', 'POST_SAVE', 'How many members saved the post; only of members, not of pages.'),
    followersMetric('firstDegreeSize (memberFollowersCount)'),
  ],
  refunds: null,
  setup: {
    consoleUrl: 'https://www.linkedin.com/developers/apps',
    reviewNeeded: true,
    pitfalls: [
      'An app needs “Share on LinkedIn” and “Sign In with LinkedIn using OpenID Connect”, which every app gets; it then posts for members and reads nothing.',
      'Pages and statistics need an app of its own whose only product is “Community Management API”, which LinkedIn reviews; accounts are then connected the second way.',
      'Without that product a login lasts 60 days and cannot be renewed; with it, and with refresh tokens that LinkedIn grants to approved partners, a year.',
      'A member’s own posts cannot be read back: when an answer is lost, a person has to look whether the post is out.',
      'Connecting the same member with other permissions ends the logins that the app had before.',
      'A member may make about 150 posts a day.',
      'A post that was removed cannot be posted again with the same words for a while: LinkedIn calls it a duplicate.',
      'A link without media is a card made of what the page says of itself; LinkedIn no longer looks at the page.',
      'To mention somebody write @[Name](urn:li:organization:1234) with the very name that LinkedIn shows.',
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
