import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { accountLogin } from '../graph/graph-pages.js';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { choiceOption, textOption } from '@switchboard/platform-kit/publish-options';

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

const TEXT_MAX = 500;
export const LINKS_MAX = 5;

const post = postMetrics();

export const options = [
  choiceOption('reply_control', 'Who may reply', {
    everyone: 'Everyone',
    accounts_you_follow: 'Accounts that you follow',
    followers_only: 'Your followers',
    mentioned_only: 'Mentioned accounts',
    parent_post_author_only: 'Only the author of the post that this one replies to',
  }),
  textOption('topic_tag', 'Topic', 50),
] as const satisfies readonly PublishOption[];

export const postList = { pages: 5, postsPerPage: 100, postsMax: null } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'threads',
  name: 'Threads',
  connect: [oauthLogin('Continue to Threads', accountLogin('th', Object.values(permissions).flat()))],
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
  thread: true,
  firstComment: { max: null },
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
  postList,
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
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://developers.facebook.com/documentation/threads/overview',
};
