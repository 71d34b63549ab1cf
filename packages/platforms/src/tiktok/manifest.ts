import type { MediaRules, Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { flagOption, textOption } from '@switchboard/platform-kit/publish-options';

const MB = 1_000_000;
const post = postMetrics();
const permissions = {
  publishing: ['user.info.basic', 'video.publish'],
  analytics: ['user.info.stats', 'video.list'],
};

const DESCRIPTION_MAX = 4_000;
export const CAPTION_MAX = 2_200;
export const TITLE_MAX = 90;
/** The maximum duration of videos for most accounts; a value reported for an account takes precedence. */
export const LONGEST_SECONDS = 600;

export const media = {
  max: 35,
  mixed: false,
  required: true,
  images: {
    max: 35,
    types: ['image/jpeg'],
    maxBytes: 20 * MB,
    maxWidth: 1_080,
    maxHeight: 1_920,
  },
  videos: {
    max: 1,
    types: ['video/mp4', 'video/quicktime', 'video/webm'],
    maxBytes: 4_000 * MB,
    maxSeconds: LONGEST_SECONDS,
  },
  documents: null,
  altTextMax: null,
  fetches: 'images',
} satisfies MediaRules;

export const options = [
  { name: 'privacy_level', label: 'Visibility', type: 'choice', required: true },
  flagOption('disable_comment', 'No comments'),
  flagOption('disable_duet', 'Disable duets'),
  flagOption('disable_stitch', 'Disable stitches'),
  flagOption('brand_content_toggle', 'Paid partnership (promotes a third party)'),
  flagOption('brand_organic_toggle', 'Your brand (promotes the account’s own business)'),
  flagOption('is_aigc', 'Made with AI'),
  flagOption('auto_add_music', 'Let TikTok add music to the photos'),
  textOption('video_cover_timestamp_ms', 'Cover frame (milliseconds into the video)', 9),
] as const satisfies readonly PublishOption[];

/** More per request are refused. */
export const postList = { pages: 5, postsPerPage: 20, postsMax: null } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'tiktok',
  name: 'TikTok',
  connect: [
    oauthLogin('Continue to TikTok', {
      authorizePath: '/v2/auth/authorize/',
      tokenPath: '/v2/oauth/token/',
      revokePath: '/v2/oauth/revoke/',
      revocation: 'access_token',
      clientIdName: 'client_key',
      // Only the profile field with the name that post URLs contain.
      permissions: ['user.info.profile', ...Object.values(permissions).flat()],
      permissionSeparator: ',',
      grantAccountField: 'open_id',
    }),
  ],
  permissions,
  text: { max: DESCRIPTION_MAX, unit: 'UTF-16 units', required: false },
  media,
  title: { max: TITLE_MAX, unit: 'characters', required: false },
  options,
  metrics: [
    post('views', 'view_count', 'How often the post was viewed.'),
    post('likes', 'like_count', 'How many likes the post has.'),
    post('comments', 'comment_count', 'How many comments the post has.'),
    post('shares', 'share_count', 'How often the post was shared.'),
    followersMetric('follower_count'),
  ],
  postList,
  setup: {
    consoleUrl: 'https://developers.tiktok.com/apps/',
    reviewNeeded: true,
    pitfalls: [
      'Until TikTok has audited the app, at most five accounts a day can post with it, each set to private, and only posts that are visible to the owner alone (SELF_ONLY).',
      'The visibility must be set for each post: TikTok allows apps no default, and the choices depend on the account.',
      'Photos are fetched from this installation: verify the domain of its public URL among the app’s URL properties. Videos are uploaded and need no verification.',
      'The app needs the products Login Kit and Content Posting API with Direct Post, and each of the requested scopes.',
      'An account may start six posts a minute, and about fifteen a day with all apps together; TikTok does not report the remaining number.',
      'The post ID and URL are available after moderation, minutes to hours later, and only for public posts.',
      'A video has no title; its caption may have 2,200 characters, the description of photos 4,000.',
      'Posts cannot be deleted through the API.',
    ],
  },
  baseUrl: 'https://open.tiktokapis.com',
  authBaseUrl: 'https://open.tiktokapis.com',
  consentBaseUrl: 'https://www.tiktok.com',
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://developers.tiktok.com/doc/content-posting-api-get-started',
};
