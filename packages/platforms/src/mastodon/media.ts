import {
  ok,
  type PlatformFailureCode,
  type PublishItem,
  type PublishMedia,
  type Refused,
  type Remember,
  type Session,
} from '@switchboard/domain';
import { ask, refusal, unreadable, type Answer } from '../kit/answers.js';
import { multipart } from '../kit/multipart.js';
import { untilReady } from '../kit/until-ready.js';
import { uploadSeconds } from '../kit/upload-seconds.js';
import { mediaKey } from '../kit/uploaded-media.js';
import { attachment, dialect } from './wire.js';

interface Attachment {
  readonly id: string;
  readonly isReady: boolean;
}

/** Between two looks at what is being processed. What takes longer than all of them is left to a later attempt, which knows it by its id. */
const PAUSES_MS: readonly number[] = [250, 750, 1_500, 3_000, ...Array<number>(20).fill(5_000)];

/** The ids of the item's media at the server, ready for a status. Those that an earlier attempt remembered are taken up again. */
export async function uploadMedia(
  session: Session,
  item: PublishItem,
  remember: Remember,
  pausesMs = PAUSES_MS,
): Answer<readonly string[]> {
  let receipt = item.receipt;
  const keep = (at: number, id: string) => remember((receipt = { ...receipt, [mediaKey(at)]: id }));
  /** Nothing becomes of what cannot be processed: whoever tries again begins with the file. */
  const giveUp = async (at: number, refused: Refused<PlatformFailureCode>) => {
    if (refused.failure.code === 'platform.refused' && receipt[mediaKey(at)]) await keep(at, '');
    return refused;
  };
  const attachments: Attachment[] = [];
  for (const [at, medium] of item.media.entries()) {
    const known = await look(session, receipt[mediaKey(at)] ?? '');
    if (!known.ok) return giveUp(at, known);
    const there = known.value ? ok(known.value) : await upload(session, medium);
    if (!there.ok) return there;
    if (!known.value) await keep(at, there.value.id);
    attachments.push(there.value);
  }
  for (const [at, { id, isReady }] of attachments.entries()) {
    const look = () => lookAgain(session, id);
    const ready = isReady ? ok() : await untilReady(session, { name: dialect.name, pausesMs, look });
    if (!ready.ok) return giveUp(at, ready);
  }
  return ok(attachments.map(({ id }) => id));
}

/** Media that no status carries are seen by nobody and gone after a day, so that sending them again does no harm. */
async function upload(session: Session, medium: PublishMedia): Answer<Attachment> {
  const uploaded = await ask(
    session,
    dialect,
    {
      method: 'POST',
      path: '/api/v2/media',
      body: multipart(medium.altText ? { description: medium.altText } : {}, { name: 'file', ...medium }),
      effect: 'idempotent',
      deadlineSeconds: uploadSeconds(medium.bytes),
    },
    attachment,
  );
  return uploaded.ok ? ok({ id: uploaded.value.id, isReady: Boolean(uploaded.value.url) }) : uploaded;
}

/** Null: there is none by this id any more, or a status carries it. */
async function look(session: Session, id: string): Answer<Attachment | null> {
  if (id === '') return ok(null);
  const outcome = await session.request({
    method: 'GET',
    path: `/api/v1/media/${encodeURIComponent(id)}`,
    effect: 'read',
  });
  if (!outcome.ok) return outcome;
  const answer = outcome.value;
  if (answer.status === 404 && dialect.words(answer)) return ok(null);
  if (!answer.ok) return refusal(dialect, answer, 'read');
  // Documented without a body.
  if (answer.status === 206) return ok({ id, isReady: false });
  return attachment.safeParse(answer.json).success ? ok({ id, isReady: true }) : unreadable(dialect, 'read');
}

async function lookAgain(session: Session, id: string): Answer<'ready' | 'processing' | null> {
  const seen = await look(session, id);
  return seen.ok ? ok(seen.value && (seen.value.isReady ? 'ready' : 'processing')) : seen;
}
