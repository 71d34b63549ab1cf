import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { flagOption, textOption } from '@switchboard/platform-kit/publish-options';

const MIB = 1024 * 1024;
const post = postMetrics();
const PERMISSIONS = ['identity', 'submit', 'edit', 'read', 'history', 'flair', 'mysubreddits'];

export const options = [
  { name: 'subreddit', label: 'Subreddit', type: 'choice', required: true },
  {
    name: 'flair',
    label: 'Flair of the subreddit, by its text or its ID',
    type: 'choice',
    required: false,
  },
  textOption('flair_text', 'Custom flair text, if the flair is editable', 64),
  flagOption('nsfw', 'Not safe for work'),
  flagOption('spoiler', 'Spoiler'),
  flagOption('send_replies', 'Send replies to the account’s inbox'),
  flagOption('resubmit', 'Post a link that the subreddit already has'),
] as const satisfies readonly PublishOption[];

/** Reddit lists the newest thousand. */
export const postList = { pages: 5, postsPerPage: 100, postsMax: 1_000 } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'reddit',
  name: 'Reddit',
  connect: [
    oauthLogin('Continue to Reddit', {
      authorizePath: '/api/v1/authorize',
      tokenPath: '/api/v1/access_token',
      revokePath: '/api/v1/revoke_token',
      permissions: PERMISSIONS,
      clientAuth: 'header',
      authorizeParams: { duration: 'permanent' },
      tokenErrors: { ended: ['400'], app: ['401'] },
    }),
  ],
  permissions: {
    publishing: ['submit', 'edit', 'read', 'history', 'flair', 'mysubreddits'],
    analytics: ['read', 'identity'],
  },
  text: { max: 40_000, unit: 'characters', required: false },
  media: {
    max: 20,
    mixed: false,
    required: false,
    images: { max: 20, types: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 20 * MIB },
    videos: { max: 1, types: ['video/mp4', 'video/quicktime'], maxBytes: 1024 * MIB, maxSeconds: 900 },
    documents: null,
    altTextMax: null,
    fetches: false,
  },
  title: { max: 300, unit: 'characters', required: true },
  firstComment: { max: 10_000 },
  options,
  metrics: [
    post(
      'likes',
      'score',
      'Upvotes minus downvotes, slightly obfuscated by Reddit; not reported below zero.',
    ),
    post('comments', 'num_comments', 'How many comments the post has, including removed ones.'),
    post('shares', 'num_crossposts', 'How often the post was crossposted.'),
    followersMetric('subreddit.subscribers'),
  ],
  postList,
  setup: {
    consoleUrl: 'https://www.reddit.com/prefs/apps',
    reviewNeeded: true,
    pitfalls: [
      'Create an app of the type “web app”. Commercial use of the API needs a contract with Reddit.',
      'Reddit requires clients to identify themselves: set SWITCHBOARD_REDDIT_USER_AGENT to “web:<app id>:<version> (by /u/<your account>)”.',
      'Every subreddit has its own rules. Switchboard checks those that Reddit exposes before it sends anything; moderators may still remove a post.',
      'New accounts and those with little karma have to wait between two posts.',
      'Reddit does not support alternative text for images and videos.',
    ],
  },
  baseUrl: 'https://oauth.reddit.com',
  authBaseUrl: 'https://www.reddit.com',
  userAgent: 'web:switchboard:v{version}',
  requests: { perMinute: 100 },
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://www.reddit.com/dev/api/',
};
