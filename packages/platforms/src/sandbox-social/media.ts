import { ok, type PublishItem, type PublishMedia, type Remember, type Session } from '@switchboard/domain';
import { ask, type Answer } from '../kit/answers.js';
import { dialect, media } from './wire.js';

/** The ids of a part's media there. What an earlier attempt brought is not sent again. */
export async function upload(
  session: Session,
  item: PublishItem,
  remember: Remember,
): Answer<readonly string[]> {
  const ids = item.receipt['media']?.split(' ') ?? [];
  for (const one of item.media.slice(ids.length)) {
    const sent = await send(session, one);
    if (!sent.ok) return sent;
    ids.push(sent.value.id);
    await remember({ media: ids.join(' ') });
  }
  return ok(ids);
}

/** A file that no post shows is seen by nobody: sent twice, it does no harm. */
const send = (session: Session, one: PublishMedia) =>
  ask(
    session,
    dialect,
    {
      method: 'POST',
      path: '/social/api/media',
      body: { type: one.type, length: one.bytes, stream: () => one.read() },
      effect: 'idempotent',
    },
    media,
  );
