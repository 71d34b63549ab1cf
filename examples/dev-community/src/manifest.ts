import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { keyLogin, requiredField, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { postMetrics } from '@switchboard/platform-kit/metric-facts';
import { textOption } from '@switchboard/platform-kit/publish-options';
import { optionReader } from '@switchboard/platform-kit/read-options';

const post = postMetrics();
const send = { kind: 'header', name: 'api-key', field: 'api_key' } as const;
const apiKey = requiredField(
  'password',
  'api_key',
  'API key',
  'Settings, Extensions, DEV Community API Keys.',
);

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

export const postList = { pages: 5, postsPerPage: 10, postsMax: null } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'dev_community',
  name: 'DEV Community',
  connect: [
    keyLogin({
      id: 'api_key',
      label: 'Connect with an API key',
      fields: [apiKey],
      keyForm: { serverField: null, send },
    }),
    keyLogin({
      id: 'forem',
      label: 'Connect to another Forem',
      fields: [
        requiredField('instance', 'server', 'Server', 'The server of your community.', 'community.example'),
        apiKey,
      ],
      keyForm: { serverField: 'server', send },
    }),
  ],
  permissions: { publishing: [], analytics: [] },
  text: { max: 800 * 1024, unit: 'bytes', required: true },
  title: { max: 128, unit: 'characters', required: true },
  media: null,
  options,
  metrics: [
    post('views', 'page_views_count', 'How often the article was viewed.'),
    post('likes', 'public_reactions_count', 'How many reactions the article has.'),
    post('comments', 'comments_count', 'How many comments the article has.'),
  ],
  postList,
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
  verifiedOn: '2026-11-26',
  docsUrl: 'https://developers.forem.com/api/v1',
};
