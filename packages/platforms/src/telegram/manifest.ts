import type { Manifest, PublishOption } from '@switchboard/platform-kit';
import { keyLogin, requiredField, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { choiceOption, flagOption } from '@switchboard/platform-kit/publish-options';

export const options = [
  flagOption('silent', 'Without a notification sound'),
  flagOption('protect_content', 'Protect from forwarding and saving'),
  choiceOption('link_preview', 'Preview of the first link, in messages without media', {
    none: 'None',
    small: 'With a small image',
    large: 'With a large image',
  }),
] as const satisfies readonly PublishOption[];

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'telegram',
  name: 'Telegram',
  connect: [
    keyLogin({
      id: 'bot_token',
      label: 'Connect with a bot',
      fields: [
        requiredField(
          'password',
          'bot_token',
          'Token of the bot',
          'Create it with @BotFather. Make the bot an administrator of the channel, and let it post messages.',
          '110201543:AAH…',
        ),
        requiredField(
          'handle',
          'chat',
          'Channel or group',
          'Its public name, its link, or the ID that begins with a minus.',
          '@kilnnews',
        ),
      ],
      keyForm: {
        serverField: null,
        accountField: 'chat',
        send: { kind: 'path', field: 'bot_token' },
      },
    }),
  ],
  // A bot's rights are set per chat, and are not scopes of a token.
  permissions: { publishing: [] },
  text: { max: 4_096, unit: 'characters', required: true },
  media: {
    max: 10,
    mixed: true,
    required: false,
    images: {
      max: 10,
      types: ['image/jpeg', 'image/png'],
      maxBytes: 10_000_000,
      // Width and height may sum up to 10,000.
      maxWidth: 5_000,
      maxHeight: 5_000,
      minAspectRatio: 1 / 20,
      maxAspectRatio: 20,
    },
    videos: { max: 10, types: ['video/mp4'], maxBytes: 50_000_000 },
    documents: { max: 1, types: ['application/pdf'], maxBytes: 50_000_000 },
    altTextMax: null,
    fetches: false,
  },
  thread: true,
  firstComment: { max: null },
  options,
  setup: {
    consoleUrl: 'https://t.me/BotFather',
    reviewNeeded: false,
    pitfalls: [
      'Telegram does not let bots read their own messages: after a lost response, check in Telegram whether the post was published.',
      'With images, videos or a document a text may have 1,024 characters.',
      'In a channel the first comment is a silent message of the channel that replies to the post: users comment in its discussion group, where the bot does not post.',
      'A post may be too old to be deleted: after 48 hours Telegram may refuse.',
      'Revoking the token at @BotFather ends all connections of the bot.',
    ],
  },
  baseUrl: 'https://api.telegram.org',
  authBaseUrl: null,
  // A chat accepts about one message per second, a group twenty per minute:
  // https://core.telegram.org/bots/faq#broadcasting-to-users
  requests: { concurrent: 1 },
  evidence: 'published_description',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://core.telegram.org/bots/api',
};
