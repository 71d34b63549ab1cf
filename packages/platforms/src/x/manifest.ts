import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { choiceOption, flagOption, textOption } from '@switchboard/platform-kit/publish-options';

const MIB = 1024 * 1024;
const PERMISSIONS = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];

const post = postMetrics();

export const contentLabels = [
  flagOption('made_with_ai', 'Made with AI'),
  flagOption('paid_partnership', 'Paid partnership'),
] as const satisfies readonly PublishOption[];

export const options = [
  choiceOption('reply_settings', 'Who can reply', {
    following: 'Accounts that you follow',
    mentionedUsers: 'Mentioned accounts',
    subscribers: 'Your subscribers',
    verified: 'Verified accounts',
  }),
  textOption('community_id', 'Community, by its ID', 19),
  flagOption('share_with_followers', 'Show a community’s post to followers, too'),
  ...contentLabels,
] as const satisfies readonly PublishOption[];

/** A page costs at most 0.10 USD. X lists the newest 800 posts when replies are left out. */
export const postList = { pages: 2, postsPerPage: 100, postsMax: 800 } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'x',
  name: 'X',
  connect: [
    oauthLogin('Continue to X', {
      authorizePath: '/i/oauth2/authorize',
      tokenPath: '/2/oauth2/token',
      revokePath: '/2/oauth2/revoke',
      permissions: PERMISSIONS,
      pkce: true,
      clientAuth: 'header',
      // The errors of the token endpoint for a used refresh token and for revoked access.
      tokenErrors: { ended: ['invalid_request'], app: [] },
    }),
  ],
  permissions: {
    publishing: ['tweet.read', 'tweet.write', 'users.read', 'media.write'],
    analytics: ['tweet.read', 'users.read'],
  },
  text: { max: 280, unit: 'weighted characters', required: true },
  media: {
    max: 4,
    mixed: false,
    required: false,
    images: {
      max: 4,
      types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
      // An animated GIF may have fifteen; the limit of all images applies here.
      maxBytes: 5 * MIB,
    },
    videos: {
      max: 1,
      types: ['video/mp4', 'video/quicktime'],
      // X accepts more; no file here is larger.
      maxBytes: 1_024 * MIB,
      minSeconds: 0.5,
      maxSeconds: 1_200,
    },
    documents: null,
    altTextMax: 1_000,
    fetches: false,
  },
  thread: true,
  firstComment: { max: null },
  options,
  metrics: [
    post('impressions', 'impression_count', 'How often the post was seen.'),
    post('views', 'view_count', 'How often the video was seen, in every post that shows it.'),
    post('likes', 'like_count', 'How many likes the post has.'),
    post('comments', 'reply_count', 'How many replies the post has.'),
    post('shares', 'retweet_count + quote_count', 'How often the post was reposted or quoted.'),
    post('saves', 'bookmark_count', 'How often the post was bookmarked.'),
    post('clicks', 'url_link_clicks', 'Clicks on links of the post; X reports them for thirty days.'),
    followersMetric('followers_count'),
  ],
  postList,
  setup: {
    consoleUrl: 'https://console.x.com',
    reviewNeeded: false,
    pitfalls: [
      'X charges for every request, from prepaid credits: a post costs 0.015 USD, one with a link 0.20 USD, reading a post back 0.005 USD or, as one of the account’s own, 0.001 USD, alternative text 0.005 USD, deleting 0.01 USD.',
      'X lets self-serve apps reply only to accounts that mentioned or quoted this one. If X treats a part of a thread or a first comment as such a reply, the preceding posts remain published.',
      'The app must be a confidential client (Web App) with the callback URL of this installation.',
      'X rejects a second post with identical text, and more than one cashtag in a post.',
      'An animated GIF must be the only media, and may have 5 MB here.',
      'Alternative text applies to images only: X accepts none for a video.',
      'A link counts as 23 characters, an emoji and most East Asian characters as two.',
    ],
  },
  baseUrl: 'https://api.x.com',
  authBaseUrl: 'https://api.x.com',
  consentBaseUrl: 'https://x.com',
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://docs.x.com/x-api/introduction',
};
