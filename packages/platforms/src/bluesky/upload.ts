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
 * Uploads files of one part. What is up is remembered by its digest, so that a later attempt does not send it again. The
 * server throws away what no record names, some time later: then `receipt` is given empty.
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
      // Nobody sees a file before a record names it.
      effect: 'idempotent',
      deadlineSeconds: uploadTimeoutSeconds(file.bytes),
    },
    uploadedBlob,
    ({ message, code }, { status }) =>
      status === 413
        ? refuse('platform.refused', 'The account’s server takes no file of this size. Make it smaller.', {
            platform: quotePlatform(errorMapping.name, message, code),
          })
        : undefined,
  );
  return sent.ok ? ok(sent.value.blob) : sent;
}
