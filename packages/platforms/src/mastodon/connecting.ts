import { ok, type Connecting, type Session, type TextLimits } from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { globalId } from './account-id.js';
import { DEFAULT_LIMITS } from './manifest.js';
import { dialect, instance, ownAccount } from './wire.js';

export const connecting: Connecting = {
  async identify(session) {
    const me = await ask(
      session,
      dialect,
      { method: 'GET', path: '/api/v1/accounts/verify_credentials', effect: 'read' },
      ownAccount,
    );
    if (!me.ok) return me;
    const { id, username, display_name: name, avatar, url } = me.value;
    return ok([
      {
        id: globalId(id, session),
        username: `${username}@${new URL(session.baseUrl).host}`,
        name: name || null,
        avatarUrl: avatar || null,
        url: url || null,
        textLimits: await limitsOf(session),
      },
    ]);
  },
};

/** A server that does not say, such as one from before 4.0, has the limits that it was shipped with. */
async function limitsOf(session: Session): Promise<TextLimits> {
  const told = await ask(
    session,
    dialect,
    { method: 'GET', path: '/api/v2/instance', effect: 'read' },
    instance,
  );
  if (!told.ok) return DEFAULT_LIMITS;
  const { max_characters: max, characters_reserved_per_url: perLink } = told.value.configuration.statuses;
  return { max, perLink: perLink ?? DEFAULT_LIMITS.perLink };
}
