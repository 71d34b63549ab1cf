import { fieldsWith, type WireResponse } from '../wire/exchange.js';
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
  ...fieldsWith(true, 'can_manage_chat can_invite_users'),
  ...fieldsWith(false, 'can_be_edited is_anonymous can_delete_messages can_manage_video_chats'),
  ...fieldsWith(false, 'can_restrict_members can_promote_members can_change_info'),
  ...fieldsWith(false, 'can_post_stories can_edit_stories can_delete_stories'),
};
const RESTRICTED = {
  ...fieldsWith(false, 'can_send_audios can_send_documents can_send_photos can_send_videos'),
  ...fieldsWith(false, 'can_send_video_notes can_send_voice_notes can_send_polls can_send_other_messages'),
  ...fieldsWith(false, 'can_add_web_page_previews can_change_info can_invite_users can_pin_messages'),
  ...fieldsWith(false, 'can_manage_topics can_react_to_messages can_edit_tag'),
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
    ...fieldsWith(false, 'unlimited_gifts limited_gifts unique_gifts'),
    ...fieldsWith(false, 'premium_subscription gifts_from_channels'),
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
