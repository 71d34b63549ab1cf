import { ok, type Connecting } from '@switchboard/platform-kit';
import { requestJson, site } from './client.js';

export const connecting: Connecting = {
  async identify(session) {
    const found = await requestJson(
      session,
      {
        path: '/api/v3/site',
        // A server answers to an invalid token as to anyone.
        isCredentialRejected: ({ ok: isOk, json }) =>
          isOk && typeof json === 'object' && json !== null && 'site_view' in json && !('my_user' in json),
      },
      site,
    );
    if (!found.ok) return found;
    const { person } = found.value.my_user.local_user_view;
    return ok([
      {
        id: String(person.id),
        username: `${person.name}@${new URL(person.actor_id).host}`,
        name: person.display_name ?? null,
        avatarUrl: person.avatar ?? null,
        url: person.actor_id,
      },
    ]);
  },
};
