import { ok, type PublishItem, type PublishMedia, type Session } from '@switchboard/platform-kit';
import type { PartReceipt } from '@switchboard/platform-kit/part-receipt';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import {
  mediaReceiptKey,
  resumeUploads,
  type UploadedFile,
} from '@switchboard/platform-kit/resumable-uploads';
import { errorMapping, media, requestJson } from './wire.js';

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
      path: '/social/api/media',
      body: { type: one.type, length: one.bytes, stream: () => one.read() },
      effect: 'idempotent',
    },
    media,
  );
  return sent.ok ? ok({ id: sent.value.id, state: 'ready' }) : sent;
}
