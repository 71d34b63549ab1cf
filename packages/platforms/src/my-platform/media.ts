import { ok, type PublishItem, type PublishMedia, type SaveReceipt, type Session } from '@switchboard/domain';
import { requestJson, type AdapterResult } from '../kit/platform-client.js';
import { errorMapping, file } from './wire.js';

/** The ids of a part's media at My Platform. What an earlier attempt brought there is not sent again. */
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

/** A file that nobody posts is not seen by anybody, so that sending one twice does no harm. */
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
