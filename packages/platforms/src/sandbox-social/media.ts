import { ok, type PublishItem, type PublishMedia, type SaveReceipt, type Session } from '@switchboard/domain';
import { requestJson, type AdapterResult } from '../kit/platform-client.js';
import { errorMapping, media } from './wire.js';

/** The IDs of a part's media there. Media uploaded by an earlier attempt is not uploaded again. */
export async function uploadMedia(
  session: Session,
  item: PublishItem,
  saveReceipt: SaveReceipt,
): AdapterResult<readonly string[]> {
  const ids = item.receipt['media']?.split(' ') ?? [];
  for (const one of item.media.slice(ids.length)) {
    const sent = await uploadFile(session, one);
    if (!sent.ok) return sent;
    ids.push(sent.value.id);
    await saveReceipt({ media: ids.join(' ') });
  }
  return ok(ids);
}

/** A file that no post references is not public: a duplicate upload does no harm. */
const uploadFile = (session: Session, one: PublishMedia) =>
  requestJson(
    session,
    errorMapping,
    {
      method: 'POST',
      path: '/social/api/media',
      body: { type: one.type, length: one.bytes, stream: () => one.read() },
      effect: 'idempotent',
    },
    media,
  );
