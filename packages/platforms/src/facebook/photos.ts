import { ok } from '@switchboard/domain';
import type { PublishItem, PublishMedia, SaveReceipt, Session } from '@switchboard/domain/ports';
import type { AdapterResult } from '../kit/platform-client.js';
import { findObject } from '../kit/graph-objects.js';
import { multipart } from '../kit/multipart.js';
import { openReceipt } from '../kit/part-receipt.js';
import { resumeUploads, uploadedMediaIds, type UploadedFile } from '../kit/resumable-uploads.js';
import { uploadTimeoutSeconds } from '../kit/upload-timeout-seconds.js';
import { requestJson } from './client.js';
import { manifest } from './manifest.js';
import { createdId } from './wire.js';

const photoKey = (at: number) => `photo_${at}`;

/** The IDs of the item's images at Facebook, as an attempt stored them; null if one is missing. */
export const photoIdsIn = (item: Pick<PublishItem, 'mediaCount' | 'receipt'>) =>
  uploadedMediaIds(item, photoKey);

/** The IDs of the item's images, which are not public before a post references them. */
export const uploadPhotos = (
  session: Session,
  item: PublishItem,
  saveReceipt: SaveReceipt,
): AdapterResult<readonly string[]> =>
  resumeUploads(
    session,
    openReceipt(item, saveReceipt),
    { name: manifest.name, look: (id) => getPhotoState(session, id) },
    item.media.map((medium, at) => ({ key: photoKey(at), upload: () => uploadPhoto(session, medium) })),
  );

/** Images that no post references within a day expire. */
async function getPhotoState(session: Session, id: string): AdapterResult<'ready' | null> {
  const seen = await findObject(session, manifest.name, id, 'id', createdId);
  return seen.ok ? ok(seen.value && 'ready') : seen;
}

async function uploadPhoto(session: Session, medium: PublishMedia): AdapterResult<UploadedFile> {
  const about = medium.altText === null ? {} : { alt_text_custom: medium.altText };
  const sent = await requestJson(
    session,
    {
      method: 'POST',
      path: `/${encodeURIComponent(session.account.id)}/photos`,
      body: multipart({ published: 'false', ...about }, { ...medium, name: 'source' }),
      effect: 'idempotent',
      deadlineSeconds: uploadTimeoutSeconds(medium.bytes),
    },
    createdId,
  );
  return sent.ok ? ok({ id: sent.value.id, state: 'ready' }) : sent;
}
