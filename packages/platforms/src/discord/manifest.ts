import type { Manifest, PublishOption } from '@switchboard/platform-kit';
import {
  keyLogin,
  oauthLogin,
  requiredField,
  socialPlatform,
} from '@switchboard/platform-kit/manifest-defaults';
import { postMetrics } from '@switchboard/platform-kit/metric-facts';
import { choiceOption, flagOption } from '@switchboard/platform-kit/publish-options';

const MIB = 1024 * 1024;
/** Discord's name for a webhook created by consent, and ours for a bot that is in the server. */
export const WEBHOOK = 'webhook.incoming';
export const BOT = 'bot';
const metric = postMetrics();

export const options = [
  choiceOption('mentions', 'Mentions to notify', {
    named: 'People and roles that are named',
    everyone: 'Also everyone, for @everyone or @here',
  }),
  flagOption('silent', 'Without a notification sound'),
  flagOption('hide_link_previews', 'Without link previews'),
] as const satisfies readonly PublishOption[];

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'discord',
  name: 'Discord',
  connect: [
    {
      ...oauthLogin('Continue to Discord', {
        authorizePath: '/oauth2/authorize',
        tokenPath: '/api/oauth2/token',
        permissions: [WEBHOOK],
        clientAuth: 'header',
        keyInResponse: {
          key: ['webhook', 'token'],
          account: ['webhook', 'id'],
          deletePath: '/api/{api_version}/webhooks/{account}/:key',
        },
      }),
      id: 'webhook',
    },
    keyLogin({
      id: 'bot_token',
      label: 'Connect with a bot',
      fields: [
        requiredField(
          'password',
          'bot_token',
          'Token of the bot',
          'In the developer portal, under Bot. The bot must be in the server, and may send messages and read the history of the channel.',
        ),
        {
          name: 'channel',
          label: 'Channel',
          hint: 'Its link, from the channel’s menu, or its ID.',
          kind: 'text',
          required: true,
          placeholder: 'https://discord.com/channels/…',
        },
      ],
      keyForm: {
        serverField: null,
        accountField: 'channel',
        send: { kind: 'header', name: 'Authorization', field: 'bot_token', before: 'Bot ' },
      },
    }),
  ],
  // Discord has no scopes for a bot token; permissions are set per channel.
  permissions: { publishing: [], analytics: [] },
  replyPermission: BOT,
  text: { max: 2_000, unit: 'characters', required: true },
  media: {
    max: 10,
    mixed: true,
    required: false,
    images: { max: 10, types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'], maxBytes: 10 * MIB },
    videos: { max: 10, types: ['video/mp4', 'video/quicktime', 'video/webm'], maxBytes: 10 * MIB },
    documents: { max: 1, types: ['application/pdf'], maxBytes: 10 * MIB },
    altTextMax: 1_024,
    fetches: false,
  },
  title: { max: 256, unit: 'characters', required: false },
  thread: true,
  firstComment: { max: null },
  options,
  metrics: [metric('likes', 'reactions[].count', 'How many reactions of any kind the message has.')],
  setup: {
    consoleUrl: 'https://discord.com/developers/applications',
    reviewNeeded: false,
    pitfalls: [
      'Continue to Discord creates a webhook in one channel. It can post and delete its own posts. It cannot reply to a message, so it supports neither threads nor first comments, and a post whose response was lost cannot be looked up: connect a bot for these.',
      'A bot needs the permissions to view the channel, to send messages, to embed links, to attach files and to read the history: without embedding no title is shown; without the history the bot cannot reply to a message, and a post whose response was lost cannot be looked up.',
      'A title is shown in a card below the text, which opens the link; without a title the link is appended to the text, and Discord creates a preview of it.',
      '@everyone and mentions notify users only if the option mentions allows it.',
      'A file may have 10 MiB, even if the server’s boosts allow more.',
      'Forum channels do not accept messages without a title and are not supported.',
    ],
  },
  baseUrl: 'https://discord.com',
  authBaseUrl: 'https://discord.com',
  // https://docs.discord.com/developers/reference#user-agent: without it a request may be blocked.
  userAgent: 'DiscordBot ({url}, {version})',
  apiVersion: 'v10',
  evidence: 'published_description',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://docs.discord.com/developers/resources/message',
};
