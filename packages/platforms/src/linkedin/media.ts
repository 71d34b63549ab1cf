import {
  ok,
  type CardImage,
  type PublishItem,
  type PublishMedia,
  type Remember,
  type Session,
} from '@switchboard/domain';
import type { z } from 'zod';
import { unreadable, type Answer } from '../kit/answers.js';
import { untilReady, type Progress } from '../kit/until-ready.js';
import { uploadSeconds } from '../kit/upload-seconds.js';
import { mediaKey } from '../kit/uploaded-media.js';
import { ask, askAnswer, inUrl } from './ask.js';
import { manifest } from './manifest.js';
import { anything, asset, begunUpload, begunVideo, dialect } from './wire.js';

type Upload = PublishMedia | CardImage;

/** URNs: of the item's media, and of the picture of its card. */
export interface Uploaded {
  readonly media: readonly string[];
  readonly thumbnail: string | null;
}

/** Between two looks at what is being processed. What takes longer than all of them is left to a later attempt, which knows it by its URN. */
const PAUSES_MS: readonly number[] = [0, 500, 1_000, 2_000, ...Array<number>(14).fill(4_000)];

/** What is shown only once it has been worked on. */
const isSlow = (urn: string) => !urn.startsWith('urn:li:image:');

/** The URNs of the item's media, ready for a post. Those that an earlier attempt remembered are taken up again. */
export async function uploadMedia(
  session: Session,
  item: PublishItem,
  remember: Remember,
  pausesMs = PAUSES_MS,
): Answer<Uploaded> {
  let receipt = item.receipt;
  const keep = (key: string, urn: string) => remember((receipt = { ...receipt, [key]: urn }));
  const bring = async (key: string, upload: Upload): Answer<string> => {
    const known = receipt[key] ?? '';
    const seen = await look(session, known);
    if (!seen.ok) return seen;
    if (seen.value && seen.value !== 'failed') return ok(known);
    const kind = 'kind' in upload ? upload.kind : 'image';
    const sent = await (kind === 'video' ? sendFilm(session, upload) : sendFile(session, kind, upload));
    if (sent.ok) await keep(key, sent.value);
    return sent;
  };
  const media: string[] = [];
  for (const [at, medium] of item.media.entries()) {
    const sent = await bring(mediaKey(at), medium);
    if (!sent.ok) return sent;
    media.push(sent.value);
  }
  for (const urn of media.filter(isSlow)) {
    const ready = await untilReady(session, {
      name: dialect.name,
      pausesMs,
      look: () => look(session, urn),
    });
    if (!ready.ok) return ready;
  }
  // LinkedIn takes no WebP, and a card is a card without a picture, too.
  const image = media.length === 0 && item.card?.image?.type !== 'image/webp' ? item.card?.image : null;
  const thumbnail = image ? await bring('thumbnail', image) : ok(null);
  return thumbnail.ok ? ok({ media, thumbnail: thumbnail.value }) : thumbnail;
}

/** A picture or a document goes in one piece. */
async function sendFile(session: Session, kind: 'image' | 'document', upload: Upload): Answer<string> {
  const initializeUploadRequest = { owner: session.account.id };
  const path = `/rest/${kind}s?action=initializeUpload`;
  const begun = await post(session, path, { initializeUploadRequest }, begunUpload);
  if (!begun.ok) return begun;
  const { uploadUrl, [kind]: urn } = begun.value.value;
  if (urn === undefined) return unreadable(dialect, 'idempotent');
  const sent = await put(session, uploadUrl, upload);
  return sent.ok ? ok(urn) : sent;
}

/** A film goes in the pieces that LinkedIn asks for, and is put together by the tags that it gave for them. */
async function sendFilm(session: Session, film: Upload): Answer<string> {
  const initializeUploadRequest = {
    owner: session.account.id,
    fileSizeBytes: film.bytes,
    uploadCaptions: false,
    uploadThumbnail: false,
  };
  const path = '/rest/videos?action=initializeUpload';
  const begun = await post(session, path, { initializeUploadRequest }, begunVideo);
  if (!begun.ok) return begun;
  const { video, uploadToken, uploadInstructions } = begun.value.value;
  const uploadedPartIds: string[] = [];
  for (const { uploadUrl, firstByte: start, lastByte: end } of uploadInstructions) {
    const sent = await put(session, uploadUrl, {
      type: 'application/octet-stream',
      bytes: end - start + 1,
      read: () => film.read({ start, end }),
    });
    if (!sent.ok) return sent;
    const tag = sent.value?.replace(/^"|"$/g, '');
    if (!tag) return unreadable(dialect, 'idempotent');
    uploadedPartIds.push(tag);
  }
  const finalizeUploadRequest = { video, uploadToken: uploadToken ?? '', uploadedPartIds };
  const finish = '/rest/videos?action=finalizeUpload';
  const finished = await post(session, finish, { finalizeUploadRequest }, anything);
  return finished.ok ? ok(video) : finished;
}

/** What no post carries is seen by nobody, so that sending it again does no harm. */
const post = <Value>(session: Session, path: string, json: unknown, schema: z.ZodType<Value>) =>
  ask(session, { method: 'POST', path, json, effect: 'idempotent' }, schema);

/** LinkedIn's own addresses are given the login, as it documents it for pictures; any other needs none. Answers the tag. */
async function put(
  session: Session,
  path: string,
  { type, bytes, read }: Pick<Upload, 'type' | 'bytes' | 'read'>,
): Answer<string | undefined> {
  const own = [session.baseUrl, manifest.uploadBaseUrl].some((origin) => path.startsWith(`${origin}/`));
  const answer = await askAnswer(session, {
    method: 'PUT',
    path,
    bare: !own,
    effect: 'idempotent',
    body: { type, length: bytes, stream: () => read() },
    deadlineSeconds: uploadSeconds(bytes),
  });
  return answer.ok ? ok(answer.value.headers['etag']) : answer;
}

/** Null: there is none by this URN, or none any more. */
async function look(session: Session, urn: string): Answer<Progress | null> {
  if (urn === '') return ok(null);
  const path = `/rest/${urn.split(':')[2]}s/${inUrl(urn)}`;
  const seen = await ask(session, { method: 'GET', path, effect: 'read' }, asset, (_words, { status }) => {
    // A login without the permissions for pages may upload, and not look at what it uploaded.
    if (status === 403) return ok({ status: 'AVAILABLE' });
    return status === 404 ? ok(null) : undefined;
  });
  return seen.ok ? ok(seen.value && stateOf(seen.value.status)) : seen;
}

function stateOf(status: string): Progress | null {
  if (status === 'AVAILABLE') return 'ready';
  // Only what was sent whole is looked at: LinkedIn has not noticed yet.
  if (status === 'PROCESSING' || status === 'WAITING_UPLOAD') return 'processing';
  return status === 'PROCESSING_FAILED' ? 'failed' : null;
}
