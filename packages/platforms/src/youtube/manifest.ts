import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { choiceOption, flagOption } from '@switchboard/platform-kit/publish-options';

const GIB = 1024 * 1024 * 1024;
const scope = (name: string) => `https://www.googleapis.com/auth/${name}`;
/** View, upload, edit and delete videos, and comment. */
const MANAGE = scope('youtube.force-ssl');
const READ = scope('youtube.readonly');
const NUMBERS = scope('yt-analytics.readonly');

const post = postMetrics();
const reported = postMetrics(72);

export const options = [
  choiceOption('visibility', 'Visibility', {
    public: 'Public',
    unlisted: 'Unlisted',
    private: 'Private',
  }),
  { name: 'made_for_kids', label: 'Made for kids', type: 'boolean', required: true },
  { name: 'tags', label: 'Tags', type: 'string_list', required: false },
  choiceOption('category', 'Category', {
    // oxlint-disable-next-line switchboard/words -- YouTube's name of the category
    '1': 'Film & Animation',
    '2': 'Autos & Vehicles',
    '10': 'Music',
    '15': 'Pets & Animals',
    '17': 'Sports',
    '19': 'Travel & Events',
    '20': 'Gaming',
    '22': 'People & Blogs',
    '23': 'Comedy',
    '24': 'Entertainment',
    '25': 'News & Politics',
    '26': 'Howto & Style',
    '27': 'Education',
    '28': 'Science & Technology',
    '29': 'Nonprofits & Activism',
  }),
  flagOption('synthetic_media', 'Altered or synthetic content'),
  flagOption('notify_subscribers', 'Notify subscribers'),
] as const satisfies readonly PublishOption[];

/** Each page costs one unit of 10,000 a day. */
export const postList = { pages: 5, postsPerPage: 50, postsMax: 20_000 } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'youtube',
  name: 'YouTube',
  connect: [
    oauthLogin('Continue to Google', {
      authorizePath: '/o/oauth2/v2/auth',
      tokenPath: '/token',
      revokePath: '/revoke',
      grantIsPerAccount: true,
      permissions: [MANAGE, READ, NUMBERS],
      pkce: true,
      // Without these Google returns a refresh token only for the first consent.
      authorizeParams: { access_type: 'offline', prompt: 'consent' },
      // Only returned if it expires: for a project in testing, and for time-limited access.
      refreshExpiryField: 'refresh_token_expires_in',
    }),
  ],
  permissions: { publishing: [MANAGE], analytics: [READ, NUMBERS] },
  text: { max: 5_000, unit: 'bytes', required: false },
  media: {
    max: 2,
    mixed: true,
    required: true,
    images: { max: 1, types: ['image/jpeg', 'image/png'], maxBytes: 50_000_000, coverOnly: true },
    videos: {
      max: 1,
      types: ['video/mp4', 'video/quicktime', 'video/webm'],
      maxBytes: 256 * GIB,
      maxSeconds: 12 * 3_600,
    },
    documents: null,
    altTextMax: null,
    fetches: false,
  },
  title: { max: 100, unit: 'characters', required: true },
  firstComment: { max: null },
  options,
  metrics: [
    post('views', 'viewCount', 'How often the video began to play.'),
    post('likes', 'likeCount', 'How many likes the video has, unless its owner hides them.'),
    post('comments', 'commentCount', 'How many comments the video has, unless they are turned off.'),
    reported('shares', 'shares', 'How often the video was shared with the Share button (YouTube Analytics).'),
    followersMetric('subscriberCount'),
  ],
  postList,
  setup: {
    consoleUrl: 'https://console.cloud.google.com/apis/credentials',
    reviewNeeded: true,
    pitfalls: [
      'Enable both YouTube Data API v3 and YouTube Analytics API in the project of the OAuth client.',
      'While the consent screen is in testing, only test users can connect, and their logins end after seven days.',
      'Until Google has audited the project, every video that it uploads stays private, regardless of the requested visibility.',
      'A project may upload 100 videos a day, all channels together; the day begins at midnight, Pacific time.',
      'A channel without a confirmed telephone number can have neither custom thumbnails nor videos over 15 minutes.',
      'An image next to the video becomes its thumbnail: Switchboard uploads the video as private and makes it visible when the thumbnail is set.',
    ],
  },
  baseUrl: 'https://www.googleapis.com',
  authBaseUrl: 'https://oauth2.googleapis.com',
  consentBaseUrl: 'https://accounts.google.com',
  // Upload URLs that YouTube returns have this origin, too.
  uploadBaseUrl: 'https://www.googleapis.com',
  analyticsBaseUrl: 'https://youtubeanalytics.googleapis.com',
  evidence: 'published_description',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://developers.google.com/youtube/v3/docs',
};
