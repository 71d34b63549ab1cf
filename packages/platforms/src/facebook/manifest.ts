import type { Manifest } from '@switchboard/domain';
import { graphVersion } from '../kit/graph.js';
import { facebookLogin } from '../kit/graph-pages.js';
import { followersMetric, postMetrics } from '../kit/metric-facts.js';

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

/** What takes the bytes of reels. */
export const UPLOADS = 'https://rupload.facebook.com';

export const manifest: Manifest = {
  id: 'facebook',
  name: 'Facebook Pages',
  kind: 'social',
  sandbox: false,
  connect: [
    {
      id: 'oauth',
      scheme: 'oauth2',
      label: 'Continue to Facebook',
      fields: [],
      needsApp: true,
      oauth2: facebookLogin(Object.values(permissions).flat()),
    },
  ],
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
  title: null,
  thread: false,
  firstComment: { max: 8_000 },
  linkCards: false,
  options: [
    {
      name: 'post_type',
      label: 'What a film becomes; left out: a reel where it can be one',
      type: 'choice',
      required: false,
      choices: [
        { value: 'feed', label: 'A film of the page, of any length and shape' },
        { value: 'reel', label: 'A reel: upright, 3 to 90 seconds, 540 × 960 pixels at least' },
      ],
    },
  ],
  metrics: [
    post('views', 'post_media_view', 'How often the post was shown or played.'),
    post('reach', 'post_total_media_view_unique', 'How many people saw the post at least once. An estimate.'),
    post('likes', 'post_reactions_by_type_total', 'How many reactions of any kind the post has.'),
    post('comments', 'post_activity_by_action_type.comment', 'How often people commented on the post.'),
    post('shares', 'post_activity_by_action_type.share', 'How often people shared the post.'),
    post('clicks', 'post_clicks', 'How often people clicked anywhere in the post.'),
    followersMetric('followers_count'),
  ],
  refunds: null,
  setup: {
    consoleUrl: 'https://developers.facebook.com/apps/',
    reviewNeeded: true,
    pitfalls: [
      'Only pages can be connected: nobody may post to a person’s own profile for them.',
      'Add every permission to the app first: with one that the app does not have, Facebook shows “Invalid Scopes” and nobody can consent.',
      'Add the product “Facebook Login”: the one “for Business” wants a configuration in place of permissions.',
      'Until the app is reviewed and its business verified, only people with a role on the app can connect, and nobody else sees what is posted.',
      'A page is offered to who may create content on it (the task CREATE_CONTENT); numbers need ANALYZE, comments MODERATE.',
      'At the consent its owner chooses which pages are shown; “Edit settings” at the next one shows others.',
      'Disconnecting a page does not take back what was granted to the app, which would end all pages of that person: it is done in the settings of Facebook, under business integrations.',
      'A new password, or 90 days in which the person was never seen, may end the logins of all her pages.',
      'Words for what it shows are for pictures; films have none.',
      'An upright film of 3 to 90 seconds is published as a reel, any other as a film, which Facebook shows as a reel, too; an upright one that is no reel it may keep as a draft.',
      'A page may publish 30 reels in 24 hours; what comes after is told to wait. Reels have 24 to 60 pictures a second.',
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
