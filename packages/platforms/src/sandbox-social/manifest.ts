import type { Manifest, PostListFacts } from '@switchboard/platform-kit';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { choiceOption } from '@switchboard/platform-kit/publish-options';

const TEXT_MAX = 500;
export const LINK_MAX = 2048;

/** Its choices depend on the account, see `publishing.options`. */
export const topic = { name: 'topic', label: 'Topic', type: 'choice', required: false } as const;

const post = postMetrics();

export const postList = { pages: 5, postsPerPage: 100, postsMax: null } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'sandbox_social',
  name: 'Sandbox Social',
  sandbox: true,
  connect: [
    oauthLogin('Continue to Sandbox Social', {
      authorizePath: '/social/oauth/authorize',
      tokenPath: '/social/oauth/token',
      revokePath: '/social/oauth/revoke',
      permissions: ['profile', 'posts:write', 'posts:read', 'insights:read'],
      pkce: true,
      clientAuth: 'header',
      issuerPath: '/social',
    }),
  ],
  permissions: {
    publishing: ['posts:write', 'posts:read'],
    analytics: ['insights:read'],
  },
  text: { max: TEXT_MAX, unit: 'code points', required: true },
  media: {
    max: 4,
    mixed: false,
    required: false,
    images: {
      max: 4,
      types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
      maxBytes: 1_000_000,
      maxWidth: 4096,
      maxHeight: 4096,
    },
    videos: { max: 1, types: ['video/mp4'], maxBytes: 20_000_000 },
    documents: { max: 1, types: ['application/pdf'], maxBytes: 20_000_000 },
    altTextMax: 1000,
    fetches: false,
  },
  thread: true,
  firstComment: { max: 300 },
  options: [
    choiceOption('visibility', 'Visibility', {
      public: 'Everyone',
      followers: 'Followers',
      private: 'Only the account',
    }),
    topic,
  ],
  metrics: [
    post('impressions', 'impressions', 'How often the post was shown.'),
    post('likes', 'likes', 'How many accounts like the post.'),
    post('comments', 'comments', 'How many replies the post has.'),
    post('shares', 'shares', 'How often the post was shared.'),
    post('clicks', 'clicks', 'How often its link was opened. Posts without a link have none.'),
    followersMetric('followers'),
  ],
  postList,
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: ['It exists on this machine only. Its posts are not public.'],
  },
  baseUrl: 'http://127.0.0.1:3002',
  authBaseUrl: 'http://127.0.0.1:3002',
  evidence: 'simulator',
  verifiedOn: '2026-11-21',
  docsUrl: 'http://127.0.0.1:3002/',
};
