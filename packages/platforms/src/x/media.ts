import { ok, type PublishItem, type PublishMedia, type Remember, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { multipart } from '../kit/multipart.js';
import { untilReady, type Progress } from '../kit/until-ready.js';
import { uploadSeconds } from '../kit/upload-seconds.js';
import { mediaKey } from '../kit/uploaded-media.js';
import { anything, ask, dialect, upload } from './wire.js';

/** X takes five. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** Between two looks at what is being processed. What takes longer than all of them is left to a later attempt, which knows it by its id. */
const PAUSES_MS: readonly number[] = [0, 500, 1_000, 2_000, ...Array<number>(14).fill(4_000)];

/** The ids of the item's media at X, ready for a post. Those that an earlier attempt remembered are taken up again. */
export async function uploadMedia(
  session: Session,
  item: PublishItem,
  remember: Remember,
  pausesMs = PAUSES_MS,
): Answer<readonly string[]> {
  let receipt = item.receipt;
  const keep = (at: number, id: string) => remember((receipt = { ...receipt, [mediaKey(at)]: id }));
  const ids: string[] = [];
  for (const [at, medium] of item.media.entries()) {
    const known = await look(session, receipt[mediaKey(at)] ?? '');
    if (!known.ok) return known;
    const sent = known.value ? ok({ id: receipt[mediaKey(at)] ?? '' }) : await send(session, medium);
    if (!sent.ok) return sent;
    if (!known.value) await keep(at, sent.value.id);
    ids.push(sent.value.id);
  }
  for (const [at, medium] of item.media.entries()) {
    const id = ids[at] ?? '';
    if (categoryOf(medium) === 'tweet_image') continue;
    const ready = await untilReady(session, {
      name: dialect.name,
      pausesMs,
      look: () => look(session, id),
    });
    // Nothing becomes of what cannot be processed: whoever tries again begins with the file.
    if (!ready.ok && ready.failure.code === 'platform.refused') await keep(at, '');
    if (!ready.ok) return ready;
  }
  return ok(ids);
}

/** Media that no post carries are seen by nobody, so that sending them again does no harm. */
async function send(session: Session, medium: PublishMedia): Answer<{ readonly id: string }> {
  const begun = await ask(
    session,
    {
      method: 'POST',
      path: '/2/media/upload/initialize',
      json: { media_type: medium.type, total_bytes: medium.bytes, media_category: categoryOf(medium) },
      effect: 'idempotent',
    },
    upload,
  );
  if (!begun.ok) return begun;
  const { id } = begun.value.data;
  for (let start = 0, index = 0; start < medium.bytes; start += SEGMENT_BYTES, index++) {
    const appended = await append(session, id, medium, index, start);
    if (!appended.ok) return appended;
  }
  const finished = await ask(
    session,
    { method: 'POST', path: `/2/media/upload/${encodeURIComponent(id)}/finalize`, effect: 'idempotent' },
    upload,
  );
  if (!finished.ok) return finished;
  if (medium.altText === null || medium.kind !== 'image') return ok({ id });
  const described = await describe(session, id, medium.altText);
  return described.ok ? ok({ id }) : described;
}

function append(session: Session, id: string, medium: PublishMedia, index: number, start: number) {
  const end = Math.min(start + SEGMENT_BYTES, medium.bytes) - 1;
  const segment = {
    ...medium,
    name: 'media',
    bytes: end - start + 1,
    read: () => medium.read({ start, end }),
  };
  return ask(
    session,
    {
      method: 'POST',
      path: `/2/media/upload/${encodeURIComponent(id)}/append`,
      body: multipart({ segment_index: String(index) }, segment),
      effect: 'idempotent',
      deadlineSeconds: uploadSeconds(segment.bytes),
    },
    anything,
  );
}

const describe = (session: Session, id: string, text: string) =>
  ask(
    session,
    {
      method: 'POST',
      path: '/2/media/metadata',
      json: { id, metadata: { alt_text: { text } } },
      effect: 'idempotent',
    },
    anything,
  );

/** Null: there is none by this id, or none any more. */
async function look(session: Session, id: string): Answer<Progress | null> {
  if (id === '') return ok(null);
  const seen = await ask(
    session,
    {
      method: 'GET',
      path: '/2/media/upload',
      query: { command: 'STATUS', media_id: id },
      effect: 'read',
    },
    upload,
    (_words, { status }) => (status === 400 || status === 404 ? ok(null) : undefined),
  );
  return seen.ok ? ok(seen.value && stateOf(seen.value.data.processing_info?.state)) : seen;
}

/** What is not processed later is ready at once. */
function stateOf(state: string | null | undefined): Progress {
  if (state === 'failed') return 'failed';
  return state === 'pending' || state === 'in_progress' ? 'processing' : 'ready';
}

/** A GIF that does not move is a picture as any other. */
function categoryOf({ kind, type, animated }: PublishMedia): string {
  if (kind === 'video') return 'tweet_video';
  return animated && type === 'image/gif' ? 'tweet_gif' : 'tweet_image';
}
