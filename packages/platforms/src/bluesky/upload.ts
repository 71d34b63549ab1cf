import {
  ok,
  quotePlatform,
  refuse,
  type PublishItem,
  type PublishMedia,
  type SaveReceipt,
  type Session,
} from '@switchboard/domain';
import { requestJson, type AdapterResult } from '../kit/platform-client.js';
import { uploadTimeoutSeconds } from '../kit/upload-timeout-seconds.js';
import { blobRef, errorMapping, uploadedBlob, type BlobRef } from './wire.js';

type BlobFile = Pick<PublishMedia, 'type' | 'bytes' | 'sha256' | 'read'>;

export type BlobUploader = (file: BlobFile) => AdapterResult<BlobRef>;

/**
 * Uploads the files of one part. Each upload is stored by its digest, so that a later attempt does not repeat
 * it. The server deletes files that no record references after some time: then `receipt` is passed empty.
 */
export function createUploader(
  session: Session,
  receipt: PublishItem['receipt'],
  saveReceipt: SaveReceipt,
): BlobUploader {
  let stored = receipt;
  return async (file) => {
    const earlier = parseStoredBlob(stored[file.sha256]);
    if (earlier) return ok(earlier);
    const uploaded = await uploadBlob(session, file);
    if (!uploaded.ok) return uploaded;
    stored = { ...stored, [file.sha256]: JSON.stringify(uploaded.value) };
    await saveReceipt(stored);
    return uploaded;
  };
}

function parseStoredBlob(text: string | undefined): BlobRef | null {
  return text === undefined ? null : blobRef.parse(JSON.parse(text));
}

async function uploadBlob(session: Session, file: BlobFile): AdapterResult<BlobRef> {
  const sent = await requestJson(
    session,
    errorMapping,
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
  return sent.ok ? ok(sent.value.blob) : sent;
}
