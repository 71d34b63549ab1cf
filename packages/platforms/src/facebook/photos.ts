import { ok, type PublishItem, type PublishMedia, type SaveReceipt, type Session } from '@switchboard/domain';
import type { AdapterResult } from '../kit/platform-client.js';
import { findObject } from '../kit/graph-objects.js';
import { multipart } from '../kit/multipart.js';
import { requestJson } from './client.js';
import { manifest } from './manifest.js';
import { createdId } from './wire.js';

const UPLOAD_SECONDS = 60;
const photoKey = (at: number) => `photo_${at}`;

/** The receipt keys with the IDs of an attempt's images at Facebook. */
export const photoIdsIn = ({ receipt }: Pick<PublishItem, 'receipt'>): readonly string[] =>
  Object.entries(receipt).flatMap(([key, id]) => (key.startsWith('photo_') ? [id] : []));

/**
 * The IDs of the item's images, which are not public before a post references them. Images uploaded by an
 * earlier attempt are reused.
 */
export async function uploadPhotos(
  session: Session,
  item: PublishItem,
  saveReceipt: SaveReceipt,
): AdapterResult<readonly string[]> {
  let receipt = item.receipt;
  const ids: string[] = [];
  for (const [at, medium] of item.media.entries()) {
    const known = await findPhoto(session, receipt[photoKey(at)] ?? '');
    if (!known.ok) return known;
    const id = known.value === null ? await uploadPhoto(session, medium) : ok(known.value);
    if (!id.ok) return id;
    if (known.value === null) await saveReceipt((receipt = { ...receipt, [photoKey(at)]: id.value }));
    ids.push(id.value);
  }
  return ok(ids);
}

/** Images that no post references within a day expire. */
async function findPhoto(session: Session, id: string): AdapterResult<string | null> {
  const seen = id === '' ? ok(null) : await findObject(session, manifest.name, id, 'id', createdId);
  return seen.ok ? ok(seen.value?.id ?? null) : seen;
}

async function uploadPhoto(session: Session, medium: PublishMedia): AdapterResult<string> {
  const about = medium.altText === null ? {} : { alt_text_custom: medium.altText };
  const sent = await requestJson(
    session,
    {
      method: 'POST',
      path: `/${encodeURIComponent(session.account.id)}/photos`,
      body: multipart({ published: 'false', ...about }, { ...medium, name: 'source' }),
      effect: 'idempotent',
      deadlineSeconds: UPLOAD_SECONDS,
    },
    createdId,
  );
  return sent.ok ? ok(sent.value.id) : sent;
}
