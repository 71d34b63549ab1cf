import type { Manifest, PostListFacts, PublishOption } from '@switchboard/platform-kit';
import { passwordLogin, requiredField, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { postMetrics } from '@switchboard/platform-kit/metric-facts';
import { flagOption } from '@switchboard/platform-kit/publish-options';
import { optionReader } from '@switchboard/platform-kit/read-options';

const post = postMetrics();

export const options = [
  { name: 'community', label: 'Community', type: 'choice', required: true },
  flagOption('nsfw', 'Not safe for work'),
] as const satisfies readonly PublishOption[];

export const optionsOf = optionReader(options);

export const postList = { pages: 5, postsPerPage: 50, postsMax: null } as const satisfies PostListFacts;

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'lemmy',
  name: 'Lemmy',
  connect: [
    passwordLogin({
      id: 'password',
      label: 'Log in to your server',
      fields: [
        requiredField('instance', 'server', 'Server', 'The server of your account.', 'lemmy.world'),
        requiredField('handle', 'username', 'User name or e-mail address', ''),
        requiredField('password', 'password', 'Password', ''),
        {
          ...requiredField('text', 'code', 'Code', 'Only if you use two-factor authentication.', '123456'),
          required: false,
        },
      ],
      passwordLogin: {
        serverField: 'server',
        login: {
          path: '/api/v3/user/login',
          body: { username_or_email: '{username}', password: '{password}', totp_2fa_token: '{code}' },
        },
        response: { token: ['jwt'] },
        send: { kind: 'bearer' },
        // A token works until its owner logs out or changes the password.
        renewal: 'none',
        logout: { path: '/api/v3/user/logout', bearer: 'token' },
        fieldErrors: { missing_totp_token: 'code', incorrect_totp_token: 'code' },
      },
    }),
  ],
  permissions: { publishing: [], analytics: [] },
  text: { max: 50_000, unit: 'characters', required: false },
  title: { max: 200, unit: 'characters', required: true },
  media: null,
  firstComment: { max: 10_000 },
  options,
  metrics: [
    post('likes', 'counts.upvotes', 'How many accounts voted for the post.'),
    post('comments', 'counts.comments', 'How many comments the post has.'),
  ],
  postList,
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
  verifiedOn: '2026-11-26',
  docsUrl: 'https://join-lemmy.org/docs/contributors/04-api.html',
};
