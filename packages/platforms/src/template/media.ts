import { ok } from '@switchboard/domain';
import type { PublishItem, PublishMedia, Session } from '@switchboard/domain/ports';
import type { PartReceipt } from '../kit/part-receipt.js';
import type { AdapterResult } from '../kit/platform-client.js';
import { mediaReceiptKey, resumeUploads, type UploadedFile } from '../kit/resumable-uploads.js';
import { errorMapping, file, requestJson } from './wire.js';

/** The IDs of a part's media at Acme, ready for a post. */
export const uploadMedia = (
  session: Session,
  { media: files }: Pick<PublishItem, 'media'>,
  receipt: PartReceipt,
): AdapterResult<readonly string[]> =>
  resumeUploads(
    session,
    receipt,
    errorMapping,
    files.map((one, at) => ({ key: mediaReceiptKey(at), upload: () => uploadFile(session, one) })),
  );

async function uploadFile(session: Session, one: PublishMedia): AdapterResult<UploadedFile> {
  const sent = await requestJson(
    session,
    {
      method: 'POST',
      path: '/v1/files',
      body: { type: one.type, length: one.bytes, stream: () => one.read() },
      effect: 'idempotent',
    },
    file,
  );
  return sent.ok ? ok({ id: sent.value.id, state: 'ready' }) : sent;
}
