import { fieldsWith } from '../wire/exchange.js';
import type { DiscordMessage } from './message-store.js';
import type { DiscordBot, DiscordWebhook } from './network.js';

export interface DiscordChannel {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  /** 0 text, 2 voice, 5 announcements, 15 forum. */
  readonly type: 0 | 2 | 5 | 15;
}

const presentUser = (id: string, name: string) => ({
  id,
  username: name,
  discriminator: '0',
  bot: true,
  ...fieldsWith(0, 'public_flags flags'),
  ...fieldsWith(null, 'avatar global_name primary_guild'),
});

export const presentMe = ({ id, name }: DiscordBot) => ({
  ...presentUser(id, name),
  mfa_enabled: false,
  locale: 'en-US',
});

export const presentChannel = ({ id, guildId, name, type }: DiscordChannel, last: string | null) => ({
  id,
  type,
  guild_id: guildId,
  name,
  last_message_id: last,
  ...fieldsWith(0, 'flags position'),
});

export const presentWebhook = ({ id, token, name }: DiscordWebhook, channel: DiscordChannel) => ({
  channel_id: channel.id,
  guild_id: channel.guildId,
  id,
  name,
  type: 1,
  token,
  url: `https://discord.com/api/webhooks/${id}/${token}`,
  ...fieldsWith(null, 'application_id avatar'),
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
  ...fieldsWith(false, 'me_burst me'),
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
    attachments: attachments.map(({ fileName, bytes, description }, at) => {
      const url = `https://cdn.discordapp.com/attachments/${channelId}/${id}${at}/${encodeURIComponent(fileName)}`;
      return {
        id: `${id}${at}`,
        filename: fileName,
        size: bytes,
        url,
        proxy_url: url,
        ...(description !== null && { description }),
      };
    }),
    embeds,
    ...fieldsWith([], 'mentions mention_roles components'),
    ...fieldsWith(false, 'pinned tts'),
    mention_everyone: calls.includes('everyone') && /@(?:everyone|here)\b/.test(content),
    timestamp: createdAt.toISOString(),
    edited_timestamp: null,
    ...(author.isWebhook && { webhook_id: author.id }),
    ...(replyTo !== null && { message_reference: { type: 0, channel_id: channelId, message_id: replyTo } }),
    ...(isNew ? nonce !== null && { nonce } : { reactions: REACTIONS }),
  };
};
