import { ok, refuse, type Connecting, type FoundAccount, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { requestJson, isWebhook, messagesPathOf } from './client.js';
import { BOT, WEBHOOK } from './manifest.js';
import { channel, webhook } from './wire.js';

type IdentifyResult = AdapterResult<readonly FoundAccount[]>;

/** Those that accept a plain message: text, voice, announcements, stages, and threads. */
const MESSAGE_CHANNEL_TYPES = [0, 2, 5, 10, 11, 12, 13];

export const connecting: Connecting = {
  identify: (session) => (isWebhook(session) ? identifyWebhook(session) : identifyBot(session)),
};

/** The channel is the account: a repeated consent creates another webhook in the same channel. */
async function identifyWebhook(session: Session): IdentifyResult {
  const found = await requestJson(session, messagesPathOf(session), webhook);
  if (!found.ok) return found;
  const { channel_id: id, name, guild_id } = found.value;
  const url = urlOf(guild_id, id);
  return ok([{ id, username: null, name: name ?? null, avatarUrl: null, url, permissions: [WEBHOOK] }]);
}

/** A bot is in many channels: the typed one is the account. */
async function identifyBot(session: Session): IdentifyResult {
  const [typed = ''] = /\d+(?=\D*$)/.exec(session.account.id) ?? [];
  if (typed === '') return refuse('platform.refused', 'No channel ID found. Copy the channel link again.');
  const found = await requestJson(session, `/channels/${typed}`, channel);
  if (!found.ok) return found;
  const { id, type, name, guild_id: guild } = found.value;
  if (!guild || !MESSAGE_CHANNEL_TYPES.includes(type)) {
    return refuse(
      'platform.refused',
      'This channel does not accept messages without a title, or is not a channel of a server. Choose a text channel of a server.',
    );
  }
  const account = { id, username: null, name: name ? `#${name}` : null, avatarUrl: null };
  return ok([{ ...account, url: urlOf(guild, id), permissions: [BOT] }]);
}

const urlOf = (guild: string, at: string) => `https://discord.com/channels/${guild}/${at}`;
