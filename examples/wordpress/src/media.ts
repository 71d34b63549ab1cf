import { ok, type PublishItem, type PublishMedia, type Session } from '@switchboard/platform-kit';
import { multipart } from '@switchboard/platform-kit/multipart';
import type { PartReceipt } from '@switchboard/platform-kit/part-receipt';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import {
  mediaReceiptKey,
  resumeUploads,
  uploadedMediaIds,
  type UploadedFile,
} from '@switchboard/platform-kit/resumable-uploads';
import { uploadTimeoutSeconds } from '@switchboard/platform-kit/upload-timeout-seconds';
import { attachment, errorMapping, requestJson } from './client.js';
import type { LibraryImage } from './content.js';

/** The images of the item in the library of the site. */
export async function uploadImages(
  session: Session,
  { media }: Pick<PublishItem, 'media'>,
  receipt: PartReceipt,
): AdapterResult<readonly LibraryImage[]> {
  const uploads = media.map((one, at) => ({
    key: mediaReceiptKey(at),
    upload: () => upload(session, one, at),
  }));
  const uploaded = await resumeUploads(session, receipt, { name: errorMapping.name }, uploads);
  if (!uploaded.ok) return uploaded;
  return ok(uploadedImages({ mediaCount: media.length, receipt: receipt.entries }) ?? []);
}

/** As earlier attempts uploaded them; null if one is missing, so that no post was sent. */
export function uploadedImages({
  mediaCount,
  receipt,
}: Pick<PublishItem, 'mediaCount' | 'receipt'>): readonly LibraryImage[] | null {
  const ids = uploadedMediaIds({ mediaCount, receipt });
  return (
    ids?.map((id, at) => ({ id, url: receipt[`url_${at}`] ?? '', altText: receipt[`alt_${at}`] ?? null })) ??
    null
  );
}

/** A file in the library is not part of any post, so that a second one does no harm. */
async function upload(session: Session, image: PublishMedia, at: number): AdapterResult<UploadedFile> {
  const { altText } = image;
  const uploaded = await requestJson(
    session,
    {
      method: 'POST',
      path: '/media',
      body: multipart(altText === null ? {} : { alt_text: altText }, { name: 'file', ...image }),
      effect: 'idempotent',
      deadlineSeconds: uploadTimeoutSeconds(image.bytes),
    },
    attachment,
  );
  if (!uploaded.ok) return uploaded;
  const { id, source_url: url } = uploaded.value;
  const entries = { [`url_${at}`]: url, ...(altText !== null && { [`alt_${at}`]: altText }) };
  return ok({ id: String(id), state: 'ready', entries });
}
