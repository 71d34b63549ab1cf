import type { Manifest } from '@switchboard/domain';

export const manifest: Manifest = {
  id: 'telegram',
  name: 'Telegram',
  kind: 'social',
  sandbox: false,
  connect: [
    {
      id: 'bot_token',
      scheme: 'key_form',
      label: 'Connect with a bot',
      fields: [
        {
          name: 'bot_token',
          label: 'Token of the bot',
          hint: 'Ask @BotFather for it. Make the bot an administrator of the channel, and let it post messages.',
          kind: 'password',
          required: true,
          placeholder: '110201543:AAH…',
        },
        {
          name: 'chat',
          label: 'Channel or group',
          hint: 'Its public name, its link, or the number that begins with a minus.',
          kind: 'handle',
          required: true,
          placeholder: '@kilnnews',
        },
      ],
      needsApp: false,
      keyForm: {
        serverField: null,
        accountField: 'chat',
        send: { kind: 'path', field: 'bot_token' },
      },
    },
  ],
  // What a bot may do in a chat is said there, and is no permission that a token names.
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
      // Width and height may come to 10,000 together.
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
  title: null,
  thread: true,
  firstComment: { max: null },
  linkCards: false,
  options: [
    { name: 'silent', label: 'Without a sound', type: 'boolean', required: false },
    {
      name: 'protect_content',
      label: 'Nobody may forward or save it',
      type: 'boolean',
      required: false,
    },
    {
      name: 'link_preview',
      label: 'Preview of the first link, in messages without media',
      type: 'choice',
      required: false,
      choices: [
        { value: 'none', label: 'None' },
        { value: 'small', label: 'With a small picture' },
        { value: 'large', label: 'With a large picture' },
      ],
    },
  ],
  metrics: [],
  refunds: null,
  setup: {
    consoleUrl: 'https://t.me/BotFather',
    reviewNeeded: false,
    pitfalls: [
      'Telegram lets nobody read back what a bot has posted: a post whose answer is lost is for a person to look up.',
      'With pictures, films or a document a text may have 1,024 characters.',
      'In a channel the first comment is a message of the channel that answers the post, without a sound: what people say is in its discussion group, where the bot does not write.',
      'A post may be too old to be taken back: after 48 hours Telegram may refuse.',
      'Who revokes the token at @BotFather ends all connections of the bot.',
    ],
  },
  baseUrl: 'https://api.telegram.org',
  authBaseUrl: null,
  // A chat takes about a message in a second, a group twenty in a minute: https://core.telegram.org/bots/faq#broadcasting-to-users
  requests: { concurrent: 1 },
  apiVersion: null,
  apiVersionEndsOn: null,
  evidence: 'published_description',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://core.telegram.org/bots/api',
};
