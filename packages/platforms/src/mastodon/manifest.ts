import type { MediaRules, Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { requiredField, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { followersMetric, postMetrics } from '@switchboard/platform-kit/metric-facts';
import { choiceOption, flagOption, textOption } from '@switchboard/platform-kit/publish-options';

/** The limit of a server that reports none (`StatusLengthValidator`). */
export const DEFAULT_LIMITS = { max: 500, perLink: 23 } as const;

/**
 * The defaults of servers (`MediaAttachment`, `Attachmentable`). A file must have fewer bytes than their
 * limit.
 */
export const DEFAULT_MEDIA = {
  max: 4,
  // Images, or one video (`PostStatusService#validate_media!`).
  mixed: false,
  required: false,
  images: {
    max: 4,
    types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
    maxBytes: 16 * 1024 * 1024 - 1,
    maxPixels: 7680 * 4320,
  },
  videos: {
    max: 1,
    types: ['video/mp4', 'video/webm', 'video/quicktime'],
    maxBytes: 99 * 1024 * 1024 - 1,
  },
  documents: null,
  altTextMax: 1_500,
  fetches: false,
} satisfies MediaRules;

const write = ['write:statuses', 'read:statuses', 'write:media'];

const post = postMetrics();

export const options = [
  choiceOption('visibility', 'Visibility', {
    public: 'Everyone, listed in public timelines',
    unlisted: 'Everyone, not listed',
    private: 'Followers',
  }),
  flagOption('sensitive', 'Sensitive'),
  textOption('spoiler_text', 'Content warning'),
  textOption('language', 'Language of the text', 10),
] as const satisfies readonly PublishOption[];

/** A server refuses larger pages, and allows 300 requests in five minutes. */
export const postList = { pages: 10, postsPerPage: 40, postsMax: null } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'mastodon',
  name: 'Mastodon',
  connect: [
    {
      id: 'oauth',
      scheme: 'mastodon_oauth',
      label: 'Continue to Mastodon',
      fields: [
        requiredField(
          'instance',
          'instance',
          'Server',
          'Your account’s server: its name or address, or your full handle.',
          'mastodon.social',
        ),
      ],
      needsApp: false,
    },
  ],
  permissions: { publishing: write, analytics: ['read:statuses', 'read:accounts'] },
  text: { max: DEFAULT_LIMITS.max, unit: 'characters', required: true },
  media: DEFAULT_MEDIA,
  thread: true,
  firstComment: { max: null },
  options,
  metrics: [
    post('likes', 'favourites_count', 'How many accounts favorited the post, as far as this server knows.'),
    post('comments', 'replies_count', 'How many replies the post has, as far as this server knows.'),
    post('shares', 'reblogs_count', 'How often the post was boosted, as far as this server knows.'),
    followersMetric('followers_count'),
  ],
  postList,
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: [
      'Every server has its own maximum length of a text; a server that reports none allows 500 characters.',
      'Media limits depend on the server, too. Defaults: 4 images or one video, 30 uploads in half an hour, a GIF of at most 1280 by 720 pixels.',
      'A content warning counts as part of the text. A link counts as 23 characters, a mention without its server.',
      'Metrics are those of the account’s own server, which does not receive all activity on others.',
    ],
  },
  baseUrl: null,
  authBaseUrl: null,
  evidence: 'published_description',
  verifiedOn: '2026-11-21',
  docsUrl: 'https://docs.joinmastodon.org/api/',
};
