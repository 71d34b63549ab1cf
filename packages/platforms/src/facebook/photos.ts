import { ok, type PublishItem, type PublishMedia, type Remember, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { lookAt } from '../kit/graph-objects.js';
import { multipart } from '../kit/multipart.js';
import { ask } from './ask.js';
import { manifest } from './manifest.js';
import { made } from './wire.js';

const UPLOAD_SECONDS = 60;
const keyOf = (at: number) => `photo_${at}`;

/** Under which ids an attempt's pictures are at Facebook. */
export const photosIn = ({ receipt }: Pick<PublishItem, 'receipt'>): readonly string[] =>
  Object.entries(receipt).flatMap(([key, id]) => (key.startsWith('photo_') ? [id] : []));

/** The ids of the item's pictures, which nobody sees before a post carries them. Those that an earlier attempt sent are taken up again. */
export async function uploadPhotos(
  session: Session,
  item: PublishItem,
  remember: Remember,
): Answer<readonly string[]> {
  let receipt = item.receipt;
  const ids: string[] = [];
  for (const [at, medium] of item.media.entries()) {
    const known = await stillThere(session, receipt[keyOf(at)] ?? '');
    if (!known.ok) return known;
    const id = known.value === null ? await send(session, medium) : ok(known.value);
    if (!id.ok) return id;
    if (known.value === null) await remember((receipt = { ...receipt, [keyOf(at)]: id.value }));
    ids.push(id.value);
  }
  return ok(ids);
}

/** What no post takes within a day is gone. */
async function stillThere(session: Session, id: string): Answer<string | null> {
  const seen = id === '' ? ok(null) : await lookAt(session, manifest.name, id, 'id', made);
  return seen.ok ? ok(seen.value?.id ?? null) : seen;
}

async function send(session: Session, medium: PublishMedia): Answer<string> {
  const about = medium.altText === null ? {} : { alt_text_custom: medium.altText };
  const sent = await ask(
    session,
    {
      method: 'POST',
      path: `/${encodeURIComponent(session.account.id)}/photos`,
      body: multipart({ published: 'false', ...about }, { ...medium, name: 'source' }),
      effect: 'idempotent',
      deadlineSeconds: UPLOAD_SECONDS,
    },
    made,
  );
  return sent.ok ? ok(sent.value.id) : sent;
}
