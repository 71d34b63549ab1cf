import type { MediaRules, Manifest, PostListFacts } from '@switchboard/platform-kit';
import { requiredField, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';

const GRAPHEMES_MAX = 300;
export const BYTES_MAX = 3000;
const LANGS_MAX = 3;

/**
 * The limits of the lexicons, and for the length of a video what Bluesky plays. An account's own server may
 * accept less (`connecting.ts`).
 */
export const mediaRules = {
  max: 4,
  mixed: false,
  required: false,
  images: { max: 4, types: ['image/jpeg', 'image/png', 'image/webp'], maxBytes: 2_000_000 },
  videos: { max: 1, types: ['video/mp4'], maxBytes: 300_000_000, maxSeconds: 600 },
  documents: null,
  altTextMax: 2000,
  fetches: false,
} as const satisfies MediaRules;

const handle = {
  name: 'handle',
  kind: 'handle',
  required: false,
  placeholder: 'you.bsky.social',
} as const;

const post = postMetrics();

export const postList = { pages: 5, postsPerPage: 100, postsMax: null } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'bluesky',
  name: 'Bluesky',
  connect: [
    {
      id: 'oauth',
      scheme: 'atproto_oauth',
      label: 'Continue to Bluesky',
      fields: [
        {
          ...handle,
          label: 'Handle or server',
          hint: 'Your handle, or the address of your account’s server. Default: bsky.social.',
        },
      ],
      needsApp: false,
    },
    {
      id: 'app_password',
      scheme: 'atproto_app_password',
      label: 'Use an app password',
      fields: [
        { ...handle, label: 'Handle', hint: 'Your handle, without the @.', required: true },
        requiredField(
          'password',
          'password',
          'App password',
          'Create it at Bluesky under Settings, Privacy and security, App passwords. Never use your own password.',
          'xxxx-xxxx-xxxx-xxxx',
        ),
        {
          name: 'server',
          label: 'Server',
          hint: 'Only if your account is on a server of its own.',
          kind: 'url',
          required: false,
          placeholder: 'https://bsky.social',
        },
      ],
      needsApp: false,
    },
  ],
  permissions: {
    publishing: ['transition:generic'],
    analytics: ['transition:generic'],
  },
  text: { max: GRAPHEMES_MAX, unit: 'graphemes', required: true },
  media: mediaRules,
  thread: true,
  firstComment: { max: null },
  linkCards: true,
  options: [
    { name: 'langs', label: 'Languages of the text', type: 'string_list', required: false, max: LANGS_MAX },
  ],
  metrics: [
    post('likes', 'likeCount', 'How many accounts like the post.'),
    post('comments', 'replyCount', 'How many replies the post has.'),
    post('shares', 'repostCount + quoteCount', 'How often the post was reposted or quoted.'),
    followersMetric('followersCount'),
  ],
  postList,
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: [
      'An app password is not the account’s own password. Create it with only the permissions that are needed.',
      'Links, mentions and tags are clickable only where Switchboard detects them: links with http:// or https://.',
      'A text may have 300 graphemes and 3,000 bytes: a text with many complex emoji reaches the second limit first.',
      'The link of a post without media is a card and is not in the text. A post with media has no card; its link is in the text.',
      'A video is shown only after Bluesky has processed it, some seconds after the post. An account at bsky.social needs a confirmed email address for that, and may post 25 videos a day.',
      'Animated images are shown as still images. Post them as MP4.',
    ],
  },
  baseUrl: null,
  // A DID belongs to the account on every server.
  accountIds: 'global',
  authBaseUrl: null,
  evidence: 'real_server',
  verifiedOn: '2026-11-21',
  docsUrl: 'https://docs.bsky.app/',
};
