import type { WireResponse } from '../wire/exchange.js';
import { badRequest, forbidden } from './responses.js';

export interface TelegramBot {
  readonly token: string;
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

/** A bot's status in a chat, and its permissions. */
export type Membership =
  | { readonly status: 'administrator'; readonly canPost: boolean }
  | { readonly status: 'member' }
  | { readonly status: 'restricted'; readonly canSend: boolean }
  | { readonly status: 'left' }
  | { readonly status: 'kicked' };

export interface TelegramChat {
  readonly id: number;
  readonly type: 'channel' | 'supergroup' | 'group' | 'private';
  readonly title: string;
  readonly username: string | null;
  readonly members: number;
  /** Whether members who are not administrators may write. */
  readonly membersMayWrite: boolean;
  /** The supergroup that the group was upgraded to. */
  readonly migratedTo?: number;
}

const ADMINISTRATOR = {
  can_be_edited: false,
  is_anonymous: false,
  can_manage_chat: true,
  can_delete_messages: false,
  can_manage_video_chats: false,
  can_restrict_members: false,
  can_promote_members: false,
  can_change_info: false,
  can_invite_users: true,
  can_post_stories: false,
  can_edit_stories: false,
  can_delete_stories: false,
};
const RESTRICTED = {
  can_send_audios: false,
  can_send_documents: false,
  can_send_photos: false,
  can_send_videos: false,
  can_send_video_notes: false,
  can_send_voice_notes: false,
  can_send_polls: false,
  can_send_other_messages: false,
  can_add_web_page_previews: false,
  can_change_info: false,
  can_invite_users: false,
  can_pin_messages: false,
  can_manage_topics: false,
  can_react_to_messages: false,
  can_edit_tag: false,
  is_member: true,
  until_date: 0,
};

export const presentBot = ({ id, username, name }: TelegramBot) => ({
  id,
  is_bot: true,
  first_name: name,
  username,
});

export const presentChat = ({ id, type, title, username }: TelegramChat) => ({
  id,
  type,
  ...(type === 'private' ? { first_name: title } : { title }),
  ...(username !== null && { username }),
});

export const presentFullChat = (chat: TelegramChat) => ({
  ...presentChat(chat),
  accent_color_id: 0,
  max_reaction_count: 11,
  accepted_gift_types: {
    unlimited_gifts: false,
    limited_gifts: false,
    unique_gifts: false,
    premium_subscription: false,
    gifts_from_channels: false,
  },
  ...((chat.type === 'group' || chat.type === 'supergroup') && {
    permissions: { can_send_messages: chat.membersMayWrite, can_send_photos: chat.membersMayWrite },
  }),
});

export function presentMember(bot: TelegramBot, membership: Membership, { type }: TelegramChat) {
  const user = presentBot(bot);
  switch (membership.status) {
    case 'administrator':
      return {
        status: 'administrator',
        user,
        ...ADMINISTRATOR,
        ...(type === 'channel' && { can_post_messages: membership.canPost }),
      };
    case 'restricted':
      return { status: 'restricted', user, ...RESTRICTED, can_send_messages: membership.canSend };
    case 'kicked':
      return { status: 'kicked', user, until_date: 0 };
    default:
      return { status: membership.status, user };
  }
}

/** Why a bot cannot see a chat; null when it can. */
export function viewRefusal({ status }: Membership, { type }: TelegramChat): WireResponse | null {
  if (status === 'kicked') return forbidden(`bot was kicked from the ${type} chat`);
  return status === 'left' ? forbidden(`bot is not a member of the ${type} chat`) : null;
}

/** Why a bot cannot write there; null when it can. */
export function postRefusal(membership: Membership, chat: TelegramChat): WireResponse | null {
  const unseen = viewRefusal(membership, chat);
  if (unseen) return unseen;
  if (membership.status === 'administrator' && membership.canPost) return null;
  if (chat.type === 'channel') return badRequest('need administrator rights in the channel chat');
  const writes =
    membership.status === 'restricted'
      ? membership.canSend
      : membership.status === 'administrator' || chat.membersMayWrite;
  return writes ? null : badRequest('not enough rights to send text messages to the chat');
}
