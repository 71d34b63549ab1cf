import type { Manifest, PublishOption } from '@switchboard/platform-kit';
import { socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { postMetrics } from '@switchboard/platform-kit/metric-facts';
import { flagOption } from '@switchboard/platform-kit/publish-options';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { password } from './connect-methods.js';

const metric = postMetrics();
export const PER_PAGE = 50;
export const options = [
  { name: 'community', label: 'Community', type: 'choice', required: true },
  flagOption('nsfw', 'Not safe for work'),
] as const satisfies readonly PublishOption[];
export const optionsOf = optionReader(options);

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'lemmy',
  name: 'Lemmy',
  connect: [password],
  permissions: { publishing: [], analytics: [] },
  text: { max: 50_000, unit: 'characters', required: false },
  title: { max: 200, unit: 'characters', required: true },
  media: null,
  firstComment: { max: 10_000 },
  options,
  metrics: [
    metric('likes', 'counts.upvotes', 'How many accounts voted for the post.'),
    metric('comments', 'counts.comments', 'How many comments the post has.'),
  ],
  postList: { pages: 5, postsPerPage: PER_PAGE, postsMax: null },
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: [
      'Every community has its own rules, and many restrict how often an account may post.',
      'A server may require an approval of new accounts before they can log in.',
    ],
  },
  baseUrl: null,
  authBaseUrl: null,
  evidence: 'simulator',
  verifiedOn: '2026-11-27',
  docsUrl: 'https://join-lemmy.org/docs/contributors/04-api.html',
};
