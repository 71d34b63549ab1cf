import { ok, type PublishItem, type PublishMedia, type Session } from '@switchboard/platform-kit';
import type { PartReceipt } from '@switchboard/platform-kit/part-receipt';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import {
  resumeUploads,
  uploadedMediaIds,
  type UploadedFile,
} from '@switchboard/platform-kit/resumable-uploads';
import { uploadToPresignedUrl } from '@switchboard/platform-kit/upload-to-presigned-url';
import { errorMapping, lease, requestJson } from './wire.js';

/** An uploaded file at Reddit that no post references yet: its ID and its URL. */
interface UploadedAsset {
  readonly id: string;
  readonly url: string;
}

type AssetFile = Pick<PublishMedia, 'fileName' | 'type' | 'bytes' | 'read'>;
const assetKey = (at: number) => `asset_${at}`;
const urlKey = (at: number) => `url_${at}`;

/** The IDs of the item's media at Reddit, as an attempt stored them; null if one is missing. */
export const assetIdsIn = (item: Pick<PublishItem, 'mediaCount' | 'receipt'>) =>
  uploadedMediaIds(item, assetKey);

/**
 * Uploads the missing media before anything is posted. Reddit does not report the state of an upload. A video
 * requires a poster image, which is uploaded last.
 */
export async function uploadMedia(
  session: Session,
  { media }: Pick<PublishItem, 'media'>,
  receipt: PartReceipt,
): AdapterResult<readonly UploadedAsset[]> {
  const files: readonly AssetFile[] = media.flatMap((medium) =>
    medium.kind === 'video' ? [medium, poster] : [medium],
  );
  const ids = await resumeUploads(
    session,
    receipt,
    errorMapping,
    files.map((file, at) => ({ key: assetKey(at), upload: () => uploadAsset(session, file, at) })),
  );
  return ids.ok ? ok(ids.value.map((id, at) => ({ id, url: receipt.entries[urlKey(at)] ?? '' }))) : ids;
}

/**
 * Reddit leases a URL at Amazon S3, valid for a minute. A file that no post references is not public and
 * expires after a day.
 */
async function uploadAsset(session: Session, file: AssetFile, at: number): AdapterResult<UploadedFile> {
  const leased = await requestJson(
    session,
    {
      method: 'POST',
      path: '/api/media/asset.json',
      query: { raw_json: 1 },
      form: { filepath: file.fileName, mimetype: file.type },
      effect: 'idempotent',
    },
    lease,
  );
  if (!leased.ok) return leased;
  const { args, asset } = leased.value;
  const fields = Object.fromEntries(args.fields.map(({ name, value }) => [name, value]));
  // Returned without a protocol.
  const place = args.action.startsWith('//') ? `https:${args.action}` : args.action;
  const name = errorMapping.name;
  const sent = await uploadToPresignedUrl(session, {
    name,
    path: `${place}/`,
    fields,
    file: { ...file, name: 'file' },
  });
  if (!sent.ok) return sent;
  return ok({ id: asset.asset_id, state: 'ready', entries: { [urlKey(at)]: `${place}/${fields['key']}` } });
}

const png = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAAoAAAAFoAQAAAADvSXf8AAAAMklEQVR42u3BAQ0AAADCoPdP7ewBFAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAAAAAAAAAAA3cegAATDOVLsAAAAASUVORK5CYII=',
  ].join(''),
  'base64',
);

/** A black image of 640 by 360 pixels. Reddit requires a poster image for a video, and the item has none. */
const poster = {
  fileName: 'poster.png',
  type: 'image/png',
  bytes: png.length,
  async *read(): AsyncGenerator<Uint8Array> {
    yield png;
  },
};
