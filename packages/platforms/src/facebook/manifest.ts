import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { graphVersion } from '../graph/graph.js';
import { facebookLogin } from '../graph/graph-pages.js';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { choiceOption } from '@switchboard/platform-kit/publish-options';

const MIB = 1024 * 1024;
const post = postMetrics(24);

const permissions = {
  publishing: [
    'pages_show_list',
    'pages_read_engagement',
    'pages_manage_posts',
    'pages_manage_engagement',
    'pages_read_user_content',
  ],
  analytics: ['pages_show_list', 'pages_read_engagement', 'read_insights'],
};

/** The host that receives the bytes of reels. */
export const UPLOADS = 'https://rupload.facebook.com';

export const options = [
  choiceOption('post_type', 'Publish video as (default: reel if eligible)', {
    feed: 'Page video of any length and aspect ratio',
    reel: 'Reel: portrait, 3 to 90 seconds, at least 540 × 960 pixels',
  }),
] as const satisfies readonly PublishOption[];

/** For larger pages with attachments, Facebook may respond that this is too much data. */
export const postList = { pages: 8, postsPerPage: 25, postsMax: null } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'facebook',
  name: 'Facebook Pages',
  connect: [oauthLogin('Continue to Facebook', facebookLogin(Object.values(permissions).flat()))],
  permissions,
  text: { max: 63_206, unit: 'characters', required: false },
  media: {
    max: 10,
    mixed: false,
    required: false,
    images: { max: 10, types: ['image/jpeg', 'image/png'], maxBytes: 4_000_000 },
    videos: { max: 1, types: ['video/mp4', 'video/quicktime'], maxBytes: 1_024 * MIB, maxSeconds: 14_400 },
    documents: null,
    altTextMax: 1_000,
    fetches: false,
  },
  firstComment: { max: 8_000 },
  options,
  metrics: [
    post('views', 'post_media_view', 'How often the post was shown or played.'),
    post('reach', 'post_total_media_view_unique', 'How many people saw the post at least once. An estimate.'),
    post('likes', 'post_reactions_by_type_total', 'How many reactions of any kind the post has.'),
    post('comments', 'post_activity_by_action_type.comment', 'How often people commented on the post.'),
    post('shares', 'post_activity_by_action_type.share', 'How often people shared the post.'),
    post('clicks', 'post_clicks', 'How often people clicked anywhere in the post.'),
    followersMetric('followers_count'),
  ],
  postList,
  setup: {
    consoleUrl: 'https://developers.facebook.com/apps/',
    reviewNeeded: true,
    pitfalls: [
      'Only pages can be connected: Facebook does not let apps post to a personal profile.',
      'Add every permission to the app first: if one is missing there, Facebook shows “Invalid Scopes” and no user can consent.',
      'Add the product “Facebook Login”: the one “for Business” needs a configuration instead of permissions.',
      'Until the app is reviewed and its business verified, only people with a role on the app can connect, and only they see what is posted.',
      'Only people who may create content on a page (the task CREATE_CONTENT) can connect it. Metrics require the task ANALYZE, comments MODERATE.',
      'During consent the owner chooses which pages are shared; “Edit settings” in a later consent changes the choice.',
      'Disconnecting a page does not revoke the app’s grant, which would end all pages of that person: revoke it in the settings of Facebook, under business integrations.',
      'A new password, or 90 days without activity of the person, may end the logins of all their pages.',
      'Alternative text applies to images only.',
      'A portrait video of 3 to 90 seconds is published as a reel, any other as a video, which Facebook also shows as a reel; Facebook may keep a portrait video that is not a reel as a draft.',
      'A page may publish 30 reels in 24 hours; further reels are deferred. Reels have 24 to 60 frames per second.',
    ],
  },
  baseUrl: 'https://graph.facebook.com',
  authBaseUrl: 'https://graph.facebook.com',
  consentBaseUrl: 'https://www.facebook.com',
  uploadBaseUrl: UPLOADS,
  ...graphVersion,
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://developers.facebook.com/documentation/pages-api/overview',
};
