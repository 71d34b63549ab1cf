import { ok, type PublishItem, type PublishMedia, type Remember, type Session } from '@switchboard/domain';
import { ask, type Answer } from '../kit/answers.js';
import { beforeSending } from '../kit/before-sending.js';
import { sendToStore } from '../kit/send-to-store.js';
import { poster } from './poster.js';
import { dialect, lease } from './wire.js';

/** A file at Reddit that no post has yet: what it is called, and where it lies. */
export interface Asset {
  readonly id: string;
  readonly url: string;
}

type File = Pick<PublishMedia, 'fileName' | 'type' | 'bytes' | 'read'>;
type Receipt = PublishItem['receipt'];

/** What an earlier attempt remembered, in the order of the item's media: all of it, or as much as was uploaded. */
export function assetsIn(receipt: Receipt): readonly Asset[] {
  const assets: Asset[] = [];
  for (let at = 0; receipt[`asset_${at}`]; at++) {
    assets.push({ id: receipt[`asset_${at}`] ?? '', url: receipt[`url_${at}`] ?? '' });
  }
  return assets;
}

/** Uploads what is not there yet, and remembers it before anything is posted. A film goes with a picture, which comes last. */
export async function uploadMedia(
  session: Session,
  item: PublishItem,
  remember: Remember,
): Answer<readonly Asset[]> {
  const files: readonly File[] = item.media.flatMap((medium) =>
    medium.kind === 'video' ? [medium, poster] : [medium],
  );
  const assets = [...assetsIn(item.receipt)];
  for (const file of files.slice(assets.length)) {
    const uploaded = await upload(session, file);
    if (!uploaded.ok) return beforeSending(dialect, uploaded, 'where the file is. Nothing was posted.');
    assets.push(uploaded.value);
    await remember(receiptOf(assets));
  }
  return ok(assets);
}

export const receiptOf = (assets: readonly Asset[]): Receipt =>
  Object.fromEntries(
    assets.flatMap(({ id, url }, at) => [
      [`asset_${at}`, id],
      [`url_${at}`, url],
    ]),
  );

/** Reddit leases a place at Amazon S3, good for a minute. A file that no post has is seen by nobody and goes after a day. */
async function upload(session: Session, file: File): Answer<Asset> {
  const leased = await ask(
    session,
    dialect,
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
  // Told without a protocol.
  const place = args.action.startsWith('//') ? `https:${args.action}` : args.action;
  const name = dialect.name;
  const sent = await sendToStore(session, {
    name,
    path: `${place}/`,
    fields,
    file: { ...file, name: 'file' },
  });
  return sent.ok ? ok({ id: asset.asset_id, url: `${place}/${fields['key']}` }) : sent;
}
