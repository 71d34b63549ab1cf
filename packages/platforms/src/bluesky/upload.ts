import { ok, quotePlatform, refuse, type PublishMedia, type Session } from '@switchboard/platform-kit';
import type { PartReceipt } from '@switchboard/platform-kit/part-receipt';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { resumeUploads, type UploadedFile } from '@switchboard/platform-kit/resumable-uploads';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import { blobRef, type BlobRef, errorMapping, requestJson, uploadedBlob } from './wire.js';

type BlobFile = Pick<PublishMedia, 'type' | 'bytes' | 'sha256' | 'read'>;

export type BlobUploader = (file: BlobFile) => AdapterResult<BlobRef>;

/**
 * Uploads the files of one part, each stored by its digest. The server deletes files that no record
 * references after some time, and reports that only when a record references them.
 */
export const createUploader =
  (session: Session, receipt: PartReceipt): BlobUploader =>
  async (file) => {
    const blobs = await resumeUploads(session, receipt, errorMapping, [
      { key: file.sha256, upload: () => uploadBlob(session, file) },
    ]);
    return blobs.ok ? ok(blobRef.parse(JSON.parse(blobs.value[0] ?? ''))) : blobs;
  };

async function uploadBlob(session: Session, file: BlobFile): AdapterResult<UploadedFile> {
  const sent = await requestJson(
    session,
    {
      method: 'POST',
      path: '/xrpc/com.atproto.repo.uploadBlob',
      body: { type: file.type, length: file.bytes, stream: () => file.read() },
      // A file is not public before a record references it.
      effect: 'idempotent',
      deadlineSeconds: uploadTimeoutSeconds(file.bytes),
    },
    uploadedBlob,
    ({ message, code }, { status }) =>
      status === 413
        ? refuse('platform.refused', 'The file exceeds the account server’s size limit. Reduce its size.', {
            platform: quotePlatform(errorMapping.name, message, code),
          })
        : undefined,
  );
  return sent.ok ? ok({ id: JSON.stringify(sent.value.blob), state: 'ready' }) : sent;
}
