import type { Manifest } from '@switchboard/domain';

export const GRAPHEMES_MAX = 300;
export const BYTES_MAX = 3000;
export const LANGS_MAX = 3;

const handle = {
  name: 'handle',
  kind: 'text',
  required: false,
  placeholder: 'you.bsky.social',
} as const;

export const manifest: Manifest = {
  id: 'bluesky',
  name: 'Bluesky',
  kind: 'social',
  sandbox: false,
  connect: [
    {
      id: 'oauth',
      scheme: 'atproto_oauth',
      label: 'Continue to Bluesky',
      fields: [
        {
          ...handle,
          label: 'Handle or server',
          hint: 'Your handle, or the address of the server where your account lives. Left empty: bsky.social.',
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
        {
          name: 'password',
          label: 'App password',
          hint: 'Made at Bluesky under Settings, Privacy and security, App passwords. Never your own password.',
          kind: 'password',
          required: true,
          placeholder: 'xxxx-xxxx-xxxx-xxxx',
        },
        {
          name: 'server',
          label: 'Server',
          hint: 'Only when your account lives on a server of its own.',
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
  media: null,
  title: null,
  thread: false,
  firstComment: null,
  linkCards: false,
  options: [
    { name: 'langs', label: 'Languages of the text', type: 'string_list', required: false, max: LANGS_MAX },
  ],
  metrics: [
    post('likes', 'likeCount', 'How many accounts like the post.'),
    post('comments', 'replyCount', 'How many replies the post has.'),
    post('shares', 'repostCount + quoteCount', 'How often the post was reposted or quoted.'),
    {
      metric: 'followers',
      nativeName: 'followersCount',
      definition: 'How many accounts follow the account.',
      lagHours: 0,
      subject: 'account',
    },
  ],
  refunds: null,
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: [
      'An app password is not the account’s own password, and it must be made with nothing ticked but what is needed.',
      'Links, mentions and tags are only clickable where Switchboard can tell them apart: links with http:// or https://.',
      'A text may have 300 graphemes and 3,000 bytes: many complex emoji meet the second limit first.',
    ],
  },
  baseUrl: null,
  authBaseUrl: null,
  apiVersion: null,
  apiVersionEndsOn: null,
  evidence: 'real_server',
  verifiedOn: '2026-11-21',
  docsUrl: 'https://docs.bsky.app/',
};

function post(metric: Manifest['metrics'][number]['metric'], nativeName: string, definition: string) {
  return { metric, nativeName, definition, lagHours: 0, subject: 'post' } as const;
}
