import { ok, type PublishItem, type PublishMedia, type SaveReceipt, type Session } from '@switchboard/domain';
import { requestJson, type AdapterResult } from '../kit/platform-client.js';
import { errorMapping, file } from './wire.js';

/** The IDs of a part's media at Acme. Media uploaded by an earlier attempt is not uploaded again. */
export async function uploadMedia(
  session: Session,
  { media, receipt }: PublishItem,
  saveReceipt: SaveReceipt,
): AdapterResult<readonly string[]> {
  const ids = receipt['files']?.split(' ') ?? [];
  for (const one of media.slice(ids.length)) {
    const sent = await uploadFile(session, one);
    if (!sent.ok) return sent;
    ids.push(sent.value.id);
    await saveReceipt({ files: ids.join(' ') });
  }
  return ok(ids);
}

/** A file that no post references is not public, so a duplicate upload does no harm. */
const uploadFile = (session: Session, one: PublishMedia) =>
  requestJson(
    session,
    errorMapping,
    {
      method: 'POST',
      path: '/v1/files',
      body: { type: one.type, length: one.bytes, stream: () => one.read() },
      effect: 'idempotent',
    },
    file,
  );
