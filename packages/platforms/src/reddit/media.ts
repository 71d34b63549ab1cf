import { ok, type PublishItem, type PublishMedia, type SaveReceipt, type Session } from '@switchboard/domain';
import { requestJson, type AdapterResult } from '../kit/platform-client.js';
import { mapFailureBeforeSend } from '../kit/map-failure-before-send.js';
import { uploadToPresignedUrl } from '../kit/upload-to-presigned-url.js';
import { poster } from './poster.js';
import { errorMapping, lease } from './wire.js';

/** An uploaded file at Reddit that no post references yet: its ID and its URL. */
export interface UploadedAsset {
  readonly id: string;
  readonly url: string;
}

type AssetFile = Pick<PublishMedia, 'fileName' | 'type' | 'bytes' | 'read'>;
type PostReceipt = PublishItem['receipt'];

/** The stored uploads of an earlier attempt, in the order of the item's media: all, or those completed. */
export function assetsIn(receipt: PostReceipt): readonly UploadedAsset[] {
  const assets: UploadedAsset[] = [];
  for (let at = 0; receipt[`asset_${at}`]; at++) {
    assets.push({ id: receipt[`asset_${at}`] ?? '', url: receipt[`url_${at}`] ?? '' });
  }
  return assets;
}

/**
 * Uploads the missing media and stores the IDs before anything is posted. A video requires a poster image,
 * which is uploaded last.
 */
export async function uploadMedia(
  session: Session,
  item: PublishItem,
  saveReceipt: SaveReceipt,
): AdapterResult<readonly UploadedAsset[]> {
  const files: readonly AssetFile[] = item.media.flatMap((medium) =>
    medium.kind === 'video' ? [medium, poster] : [medium],
  );
  const assets = [...assetsIn(item.receipt)];
  for (const file of files.slice(assets.length)) {
    const uploaded = await uploadAsset(session, file);
    if (!uploaded.ok)
      return mapFailureBeforeSend(errorMapping, uploaded, 'where the file is. Nothing was posted.');
    assets.push(uploaded.value);
    await saveReceipt(receiptOf(assets));
  }
  return ok(assets);
}

export const receiptOf = (assets: readonly UploadedAsset[]): PostReceipt =>
  Object.fromEntries(
    assets.flatMap(({ id, url }, at) => [
      [`asset_${at}`, id],
      [`url_${at}`, url],
    ]),
  );

/**
 * Reddit leases a URL at Amazon S3, valid for a minute. A file that no post references is not public and
 * expires after a day.
 */
async function uploadAsset(session: Session, file: AssetFile): AdapterResult<UploadedAsset> {
  const leased = await requestJson(
    session,
    errorMapping,
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
  return sent.ok ? ok({ id: asset.asset_id, url: `${place}/${fields['key']}` }) : sent;
}
