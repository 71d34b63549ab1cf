import {
  ok,
  quotePlatform,
  refuse,
  type PublishItem,
  type PublishMedia,
  type Remember,
  type Session,
} from '@switchboard/domain';
import { ask, type Answer } from '../kit/answers.js';
import { uploadSeconds } from '../kit/upload-seconds.js';
import { blobRef, dialect, uploadedBlob, type BlobRef } from './wire.js';

type File = Pick<PublishMedia, 'type' | 'bytes' | 'sha256' | 'read'>;

export type Upload = (file: File) => Answer<BlobRef>;

/**
 * Uploads files of one part. What is up is remembered by its digest, so that a later attempt does not send it again. The
 * server throws away what no record names, some time later: then `receipt` is given empty.
 */
export function uploads(session: Session, receipt: PublishItem['receipt'], remember: Remember): Upload {
  let kept = receipt;
  return async (file) => {
    const earlier = remembered(kept[file.sha256]);
    if (earlier) return ok(earlier);
    const uploaded = await send(session, file);
    if (!uploaded.ok) return uploaded;
    kept = { ...kept, [file.sha256]: JSON.stringify(uploaded.value) };
    await remember(kept);
    return uploaded;
  };
}

function remembered(text: string | undefined): BlobRef | null {
  return text === undefined ? null : blobRef.parse(JSON.parse(text));
}

async function send(session: Session, file: File): Answer<BlobRef> {
  const sent = await ask(
    session,
    dialect,
    {
      method: 'POST',
      path: '/xrpc/com.atproto.repo.uploadBlob',
      body: { type: file.type, length: file.bytes, stream: () => file.read() },
      // Nobody sees a file before a record names it.
      effect: 'idempotent',
      deadlineSeconds: uploadSeconds(file.bytes),
    },
    uploadedBlob,
    ({ message, code }, { status }) =>
      status === 413
        ? refuse('platform.refused', 'The account’s server takes no file of this size. Make it smaller.', {
            platform: quotePlatform(dialect.name, message, code),
          })
        : undefined,
  );
  return sent.ok ? ok(sent.value.blob) : sent;
}
