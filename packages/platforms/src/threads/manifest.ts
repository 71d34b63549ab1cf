import type { Manifest, PublishOption } from '@switchboard/domain/ports';
import { followersMetric, postMetrics } from '../kit/metric-facts.js';

const permissions = {
  publishing: [
    'threads_basic',
    'threads_content_publish',
    'threads_manage_replies',
    'threads_read_replies',
    'threads_delete',
  ],
  analytics: ['threads_basic', 'threads_manage_insights'],
};

export const TEXT_MAX = 500;
export const LINKS_MAX = 5;

const post = postMetrics();

export const options = [
  {
    name: 'reply_control',
    label: 'Who may reply',
    type: 'choice',
    required: false,
    choices: [
      { value: 'everyone', label: 'Everyone' },
      { value: 'accounts_you_follow', label: 'Accounts that you follow' },
      { value: 'followers_only', label: 'Your followers' },
      { value: 'mentioned_only', label: 'Mentioned accounts' },
      { value: 'parent_post_author_only', label: 'Only the author of the post that this one replies to' },
    ],
  },
  { name: 'topic_tag', label: 'Topic', type: 'string', required: false, max: 50 },
] as const satisfies readonly PublishOption[];

export const manifest: Manifest = {
  id: 'threads',
  name: 'Threads',
  kind: 'social',
  sandbox: false,
  connect: [
    {
      id: 'oauth',
      scheme: 'oauth2',
      label: 'Continue to Threads',
      fields: [],
      needsApp: true,
      oauth2: {
        authorizePath: '/oauth/authorize',
        tokenPath: '/oauth/access_token',
        revokePath: null,
        permissions: [...new Set(Object.values(permissions).flat())],
        permissionSeparator: ',',
        pkce: false,
        clientAuth: 'body',
        issuerPath: null,
        longLived: {
          path: '/access_token',
          grantType: 'th_exchange_token',
          tokenParameter: 'access_token',
          app: ['secret'],
        },
        renewal: {
          path: '/refresh_access_token',
          grantType: 'th_refresh_token',
          tokenParameter: 'access_token',
          app: [],
        },
        tokenErrors: { ended: ['190'], app: ['1', '101'] },
      },
    },
  ],
  permissions,
  text: { max: TEXT_MAX, unit: 'characters, emoji as bytes', required: true },
  media: {
    max: 20,
    mixed: true,
    required: false,
    images: {
      max: 20,
      types: ['image/jpeg', 'image/png'],
      maxBytes: 8 * 1024 * 1024,
      minAspectRatio: 0.1,
      maxAspectRatio: 10,
    },
    videos: {
      max: 20,
      types: ['video/mp4', 'video/quicktime'],
      maxBytes: 1024 * 1024 * 1024,
      maxSeconds: 300,
    },
    documents: null,
    altTextMax: 1_000,
    fetches: true,
  },
  title: null,
  thread: true,
  firstComment: { max: null },
  linkCards: false,
  options,
  metrics: [
    post(
      'views',
      'views',
      'How often the post was shown or played. Threads marks this metric as in development.',
    ),
    post('likes', 'likes', 'How many likes the post has.'),
    post(
      'comments',
      'replies',
      'How many replies the post has; for the first post of a thread all replies below it.',
    ),
    post('shares', 'reposts + quotes', 'How often the post was reposted or quoted.'),
    followersMetric('followers_count', 24),
  ],
  refunds: null,
  setup: {
    consoleUrl: 'https://developers.facebook.com/apps/',
    reviewNeeded: true,
    pitfalls: [
      'The app needs the use case “Access the Threads API”. Use the ID and the secret of this use case, not those of the app.',
      'Until the app is reviewed only testers can connect, and each has to accept the invitation in the settings of Threads.',
      'Threads fetches media from this installation, which therefore needs a public address.',
      'An account may publish 250 posts and 1,000 replies in 24 hours.',
      'A login lasts 60 days and is renewed while this installation runs.',
    ],
  },
  baseUrl: 'https://graph.threads.net',
  authBaseUrl: 'https://graph.threads.net',
  consentBaseUrl: 'https://threads.com',
  apiVersion: 'v1.0',
  apiVersionEndsOn: null,
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://developers.facebook.com/documentation/threads/overview',
};
