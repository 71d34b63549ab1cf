import { ok, type PublishItem, type PublishMedia, type Remember, type Session } from '@switchboard/domain';
import { ask, type Answer } from '../kit/answers.js';
import { dialect, file } from './wire.js';

/** The ids of a part's media at Acme. What an earlier attempt brought there is not sent again. */
export async function upload(
  session: Session,
  { media, receipt }: PublishItem,
  remember: Remember,
): Answer<readonly string[]> {
  const ids = receipt['files']?.split(' ') ?? [];
  for (const one of media.slice(ids.length)) {
    const sent = await send(session, one);
    if (!sent.ok) return sent;
    ids.push(sent.value.id);
    await remember({ files: ids.join(' ') });
  }
  return ok(ids);
}

/** A file that nobody posts is not seen by anybody, so that sending one twice does no harm. */
const send = (session: Session, one: PublishMedia) =>
  ask(
    session,
    dialect,
    {
      method: 'POST',
      path: '/v1/files',
      body: { type: one.type, length: one.bytes, stream: () => one.read() },
      effect: 'idempotent',
    },
    file,
  );
