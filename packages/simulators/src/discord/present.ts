import type { DiscordMessage } from './message-store.js';

export interface DiscordBot {
  readonly token: string;
  readonly id: string;
  readonly name: string;
}

export interface DiscordChannel {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  /** 0 text, 2 voice, 5 announcements, 15 forum. */
  readonly type: 0 | 2 | 5 | 15;
}

export interface DiscordWebhook {
  readonly id: string;
  readonly token: string;
  readonly channelId: string;
  readonly name: string;
}

const presentUser = (id: string, name: string) => ({
  id,
  username: name,
  avatar: null,
  discriminator: '0',
  public_flags: 0,
  flags: 0,
  bot: true,
  global_name: null,
  primary_guild: null,
});

export const presentMe = ({ id, name }: DiscordBot) => ({
  ...presentUser(id, name),
  mfa_enabled: false,
  locale: 'en-US',
  verified: true,
  email: null,
});

export const presentChannel = ({ id, guildId, name, type }: DiscordChannel, last: string | null) => ({
  id,
  type,
  flags: 0,
  guild_id: guildId,
  name,
  position: 0,
  nsfw: false,
  topic: null,
  last_message_id: last,
  parent_id: null,
  rate_limit_per_user: 0,
  permission_overwrites: [],
});

export const presentWebhook = ({ id, token, name }: DiscordWebhook, channel: DiscordChannel) => ({
  application_id: '1437000000000000001',
  avatar: null,
  channel_id: channel.id,
  guild_id: channel.guildId,
  id,
  name,
  type: 1,
  token,
  url: `https://discord.com/api/webhooks/${id}/${token}`,
});

export const presentGuild = (id: string, members: number) => ({
  id,
  name: 'Kiln',
  icon: null,
  description: null,
  home_header: null,
  splash: null,
  discovery_splash: null,
  features: [],
  banner: null,
  owner_id: '80351110224678912',
  application_id: null,
  region: 'us-central',
  afk_channel_id: null,
  afk_timeout: 300,
  system_channel_id: null,
  system_channel_flags: 0,
  widget_enabled: false,
  widget_channel_id: null,
  verification_level: 0,
  roles: [],
  default_message_notifications: 0,
  mfa_level: 0,
  explicit_content_filter: 0,
  max_presences: null,
  max_members: 500_000,
  max_stage_video_channel_users: 50,
  max_video_channel_users: 25,
  vanity_url_code: null,
  premium_tier: 0,
  premium_subscription_count: 0,
  preferred_locale: 'en-US',
  rules_channel_id: null,
  safety_alerts_channel_id: null,
  public_updates_channel_id: null,
  premium_progress_bar_enabled: false,
  nsfw: false,
  nsfw_level: 0,
  emojis: [],
  stickers: [],
  incidents_data: null,
  approximate_member_count: members,
  approximate_presence_count: 3,
});

/** Every message has two reactions with a bowl and one with a fire. */
const REACTIONS = [
  ['🥣', 2],
  ['🔥', 1],
].map(([name, count]) => ({
  emoji: { id: null, name },
  count,
  count_details: { burst: 0, normal: count },
  burst_colors: [],
  me_burst: false,
  me: false,
}));

/** Only the response to its creation contains the nonce. */
export const presentMessage = (message: DiscordMessage, { isNew }: { readonly isNew: boolean }) => {
  const { id, channelId, author, content, attachments, replyTo, flags, calls, nonce, createdAt } = message;
  const embeds = message.embeds.map(({ title, url }) => ({
    type: 'rich',
    title,
    ...(url !== null && { url }),
  }));
  return {
    id,
    type: replyTo === null ? 0 : 19,
    channel_id: channelId,
    content,
    flags,
    author: presentUser(author.id, author.name),
    attachments: attachments.map(({ fileName, type, bytes, description }, at) => {
      const url = `https://cdn.discordapp.com/attachments/${channelId}/${id}${at}/${encodeURIComponent(fileName)}`;
      return {
        id: `${id}${at}`,
        filename: fileName,
        size: bytes,
        url,
        proxy_url: url,
        content_type: type,
        ...(description !== null && { description }),
      };
    }),
    mentions: [],
    mention_roles: [],
    embeds,
    components: [],
    pinned: false,
    tts: false,
    mention_everyone: calls.includes('everyone') && /@(?:everyone|here)\b/.test(content),
    timestamp: createdAt.toISOString(),
    edited_timestamp: null,
    ...(author.isWebhook && { webhook_id: author.id }),
    ...(replyTo !== null && { message_reference: { type: 0, channel_id: channelId, message_id: replyTo } }),
    ...(isNew ? nonce !== null && { nonce } : { reactions: REACTIONS }),
  };
};
