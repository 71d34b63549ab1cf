import type { Manifest, PublishOption } from '@switchboard/platform-kit';
import { socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { postMetrics } from '@switchboard/platform-kit/metric-facts';
import { textOption } from '@switchboard/platform-kit/publish-options';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { apiKey, otherForem } from './connect-methods.js';

const metric = postMetrics();
export const PER_PAGE = 10;

export const options = [
  {
    name: 'tags',
    label: 'Tags: up to four, of letters and digits',
    type: 'string_list',
    required: false,
    max: 4,
  },
  textOption('canonical_url', 'Address of the original article'),
] as const satisfies readonly PublishOption[];
export const optionsOf = optionReader(options);

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'dev_community',
  name: 'DEV Community',
  connect: [apiKey, otherForem],
  permissions: { publishing: [], analytics: [] },
  text: { max: 800 * 1024, unit: 'bytes', required: true },
  title: { max: 128, unit: 'characters', required: true },
  media: null,
  options,
  metrics: [
    metric('views', 'page_views_count', 'How often the article was viewed.'),
    metric('likes', 'public_reactions_count', 'How many reactions the article has.'),
    metric('comments', 'comments_count', 'How many comments the article has.'),
  ],
  postList: { pages: 5, postsPerPage: PER_PAGE, postsMax: null },
  setup: {
    consoleUrl: 'https://dev.to/settings/extensions',
    reviewNeeded: false,
    pitfalls: [
      'The text is Markdown. Images are addresses in the text.',
      'Unpublishing makes an article a draft: the API deletes nothing.',
      'A title cannot be used twice within five minutes.',
    ],
  },
  baseUrl: 'https://dev.to',
  authBaseUrl: null,
  evidence: 'simulator',
  verifiedOn: '2026-11-27',
  docsUrl: 'https://developers.forem.com/api/v1',
};
