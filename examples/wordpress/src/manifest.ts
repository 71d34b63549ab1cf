import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { postMetrics } from '@switchboard/platform-kit/metric-facts';
import { textOption } from '@switchboard/platform-kit/publish-options';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { applicationPassword } from './connect-methods.js';

const MIB = 1024 * 1024;
const post = postMetrics();

export const options = [
  { name: 'category', label: 'Category', type: 'choice', required: false },
  textOption('excerpt', 'Summary for lists and feeds', 1_000),
] as const satisfies readonly PublishOption[];

export const optionsOf = optionReader(options);

export const postList = { pages: 5, postsPerPage: 20, postsMax: null } as const satisfies PostListFacts;

/** WordPress has no limit, web servers have one for the whole request: nginx one megabyte unless configured. */
export const limits = { textBytes: 500_000, titleCharacters: 500, images: 20 } as const;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'wordpress',
  name: 'WordPress',
  connect: [applicationPassword],
  permissions: { publishing: [], analytics: [] },
  text: { max: limits.textBytes, unit: 'bytes', required: false },
  title: { max: limits.titleCharacters, unit: 'characters', required: false },
  media: {
    max: limits.images,
    mixed: false,
    required: false,
    images: {
      max: limits.images,
      types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
      maxBytes: 2 * MIB,
    },
    videos: null,
    documents: null,
    altTextMax: 1_000,
    fetches: false,
  },
  // https://developer.wordpress.org/reference/functions/wp_get_comment_fields_max_lengths/
  firstComment: { max: 65_525 },
  options,
  metrics: [post('comments', 'X-WP-Total', 'How many approved comments the post has.')],
  postList,
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: [
      'The site needs HTTPS and permalinks other than “Plain”.',
      'The user needs a role that may publish and upload: author, editor or administrator.',
      'Some security plugins disable application passwords or the REST API.',
      'PHP accepts uploads of two megabytes unless it is configured (upload_max_filesize).',
    ],
  },
  baseUrl: null,
  authBaseUrl: null,
  evidence: 'real_server',
  verifiedOn: '2026-11-27',
  docsUrl: 'https://developer.wordpress.org/rest-api/reference/',
};
