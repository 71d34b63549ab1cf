import { ok, refuse, type Connecting, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { callMethod } from './client.js';
import { bot, chat, member, movedTo, type Chat, type Member } from './wire.js';

/** A bot is in many chats: the typed one is the account, if the bot may post there. */
export const connecting: Connecting = {
  async identify(session) {
    const me = await callMethod(session, 'getMe', { effect: 'read' }, bot);
    if (!me.ok) return me;
    const found = await fetchChat(session, chatIdOf(session.account.id));
    if (!found.ok) return found;
    const { id, type, title, username } = found.value;
    if (type === 'private') {
      return refuse(
        'platform.refused',
        'This is a private chat. Only a channel or a group can be connected.',
      );
    }
    const requested = { json: { chat_id: id, user_id: me.value.id }, effect: 'read' } as const;
    const is = await callMethod(session, 'getChatMember', requested, member);
    if (!is.ok) return is;
    if (!canPost(found.value, is.value)) {
      const message = `The bot may not post there. Make it an administrator${type === 'channel' ? ' who may post messages' : ''}.`;
      return refuse('platform.permission_missing', message);
    }
    const url = username ? `https://t.me/${username}` : null;
    return ok([{ id: String(id), username: username ?? null, name: title ?? null, avatarUrl: null, url }]);
  },
};

/** A group that has become a supergroup has another ID. */
async function fetchChat(session: Session, chatId: string): AdapterResult<Chat> {
  const look = (json: object) => ({ json, effect: 'read' }) as const;
  const found = await callMethod(session, 'getChat', look({ chat_id: chatId }), chat, (_words, { json }) => {
    const moved = movedTo(json);
    return moved === null ? undefined : ok({ moved });
  });
  if (!found.ok) return found;
  return 'moved' in found.value
    ? callMethod(session, 'getChat', look({ chat_id: found.value.moved }), chat)
    : ok(found.value);
}

/**
 * The formats that users copy: a name with or without its @, a link to it, the ID, or a link that contains
 * it.
 */
function chatIdOf(typed: string): string {
  if (/^-?\d+$/.test(typed)) return typed;
  const [, hidden] = /^(?:https?:\/\/)?(?:t|telegram)\.me\/c\/(\d+)/i.exec(typed) ?? [];
  if (hidden !== undefined) return `-100${hidden}`;
  const [, name = typed] = /^(?:https?:\/\/)?(?:t|telegram)\.me\/(?:s\/)?(\w+)/i.exec(typed) ?? [];
  return name.startsWith('@') ? name : `@${name}`;
}

function canPost(
  { type, permissions }: Chat,
  { status, can_post_messages, can_send_messages }: Member,
): boolean {
  switch (status) {
    case 'creator':
      return true;
    case 'administrator':
      return type !== 'channel' || can_post_messages === true;
    case 'member':
      return type !== 'channel' && permissions?.can_send_messages !== false;
    case 'restricted':
      return can_send_messages === true;
    default:
      return false;
  }
}
