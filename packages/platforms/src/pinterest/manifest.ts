import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { textOption } from '@switchboard/platform-kit/publish-options';

const MIB = 1024 * 1024;
const post = postMetrics(48);
const READ = ['boards:read', 'pins:read', 'user_accounts:read'];

/** For a pin's own fields, as in the published description. */
export const LINK_MAX = 2_048;
export const ALT_TEXT_MAX = 500;

export const options = [
  { name: 'board_id', label: 'Board, or a section of one', type: 'choice', required: true },
  textOption('cover_second', 'Cover frame (second of the video)', 3),
] as const satisfies readonly PublishOption[];

export const postList = { pages: 2, postsPerPage: 250, postsMax: null } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'pinterest',
  name: 'Pinterest',
  connect: [
    oauthLogin('Continue to Pinterest', {
      authorizePath: '/oauth/',
      tokenPath: '/v5/oauth/token',
      // Pinterest's revocation endpoint accepts only tokens of system users.
      revokePath: null,
      permissions: [...READ, 'boards:write', 'pins:write'],
      permissionSeparator: ',',
      clientAuth: 'header',
      // Apps created before 2025-09-25 receive a continuous refresh token only on request.
      exchangeParams: { continuous_refresh: 'true' },
      tokenErrors: { ended: ['283'], app: ['2'] },
    }),
  ],
  permissions: { publishing: [...READ, 'boards:write', 'pins:write'], analytics: READ },
  text: { max: 800, unit: 'characters', required: false },
  media: {
    max: 5,
    mixed: false,
    required: true,
    images: { max: 5, types: ['image/jpeg', 'image/png'], maxBytes: 10 * MIB },
    videos: {
      max: 1,
      types: ['video/mp4', 'video/quicktime'],
      maxBytes: 2_048 * MIB,
      minSeconds: 4,
      maxSeconds: 900,
    },
    documents: null,
    altTextMax: ALT_TEXT_MAX,
    fetches: false,
  },
  title: { max: 100, unit: 'characters', required: false },
  options,
  metrics: [
    post('impressions', 'impression', 'How often the pin was on a screen.'),
    post('likes', 'reaction', 'How many reactions the pin has.'),
    post('comments', 'comment', 'How many comments the pin has.'),
    post('saves', 'save', 'How often the pin was saved to a board.'),
    post('clicks', 'outbound_click, or clickthrough', 'How often users opened the page of the pin’s link.'),
    followersMetric('follower_count'),
  ],
  postList,
  setup: {
    consoleUrl: 'https://developers.pinterest.com/apps/',
    reviewNeeded: true,
    pitfalls: [
      'With trial access pins are refused, or only their creator sees them. To apply for standard access, submit a video of the whole login.',
      'Trial access allows 1,000 requests a day for all accounts together; standard access allows 100 pins a minute for each.',
      'The redirect URI must be written in the app’s settings exactly as this installation sends it.',
      'Switchboard does not request access to secret boards: it does not list them and cannot create pins on them.',
      'The images of a carousel should have the same aspect ratio, and share one alternative text of 500 characters.',
      'Every pin needs an image or a video; its link is a field of its own and not part of the text.',
    ],
  },
  baseUrl: 'https://api.pinterest.com',
  authBaseUrl: 'https://api.pinterest.com',
  consentBaseUrl: 'https://www.pinterest.com',
  requests: { perMinute: 1_000 },
  evidence: 'published_description',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://developers.pinterest.com/docs/api/v5/introduction/',
};
