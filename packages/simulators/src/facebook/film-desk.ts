import { answer, type WireAnswer } from '../wire/exchange.js';
import { readFetched } from '../meta/fetched-file.js';
import { badParameter, graphRefusal } from '../meta/graph.js';
import type { FormFile } from '../wire/read-multipart.js';
import type { PageBook, PageFile } from './page-book.js';

interface Upload {
  readonly id: string;
  readonly session: string;
  readonly pageId: string;
  readonly bytes: number;
  readonly pieces: Uint8Array[];
  file: PageFile | null;
  /** How many looks find it as it was before it was finished, and how many find it in progress then. */
  lags: number;
  looksLeft: number;
  becomes: FilmFate;
  isOver: boolean;
}

/** What comes of a film that is finished: an upright one may be kept as a draft (gitroomhq/postiz-app#1740). */
export type FilmFate = 'published' | 'draft' | 'nothing';

const FIRST_FILM = 122_400_000_000_000_001n;
const MIB = 1024 * 1024;

const problemAt = (offset: number): WireAnswer =>
  graphRefusal({
    message: `There was a problem uploading your video file. Please try again from ${offset}.`,
    ...{ code: 6_000, subcode: 1_363_037 },
  });
const notWhole = graphRefusal({
  message: 'The video was not uploaded wholly.',
  ...{ code: 6_000, subcode: 1_363_033 },
});

const pageLimit = graphRefusal({ message: '(#32) Page request limit reached', code: 32 });

/**
 * Films in pieces, as the reference of `/{page-id}/videos` has its parameters: `upload_phase` is `start`, `transfer` and `finish`,
 * and how much comes next is said in the answers.
 */
export function filmDesk(book: PageBook) {
  const uploads: Upload[] = [];
  let [lags, takes, pieceBytes, isLimited] = [0, 0, MIB, false];
  let fate: FilmFate = 'published';
  const received = ({ pieces }: Upload) => pieces.reduce((sum, { length }) => sum + length, 0);
  const next = (upload: Upload) => ({
    start_offset: String(received(upload)),
    end_offset: String(Math.min(received(upload) + pieceBytes, upload.bytes)),
  });

  function start(pageId: string, fileSize: string): WireAnswer {
    const bytes = Number(fileSize);
    if (!Number.isSafeInteger(bytes) || bytes <= 0)
      return badParameter('The parameter file_size is required');
    const number = FIRST_FILM + BigInt(uploads.length);
    const ids = { id: String(number), session: String(number + 7_000_000n) };
    const upload: Upload = {
      ...ids,
      pageId,
      bytes,
      pieces: [],
      file: null,
      lags: 0,
      looksLeft: 0,
      becomes: fate,
      isOver: false,
    };
    uploads.push(upload);
    return answer({ video_id: upload.id, upload_session_id: upload.session, ...next(upload) });
  }

  function transfer(upload: Upload, offset: string, piece: FormFile | undefined): WireAnswer {
    if (!piece) return badParameter('The parameter video_file_chunk is required');
    const { start_offset, end_offset } = next(upload);
    if (offset !== start_offset || piece.bytes.length > Number(end_offset) - Number(start_offset)) {
      return problemAt(Number(start_offset));
    }
    upload.pieces.push(piece.bytes);
    return answer(next(upload));
  }

  function finish(upload: Upload, description: string): WireAnswer {
    if (isLimited) return pageLimit;
    if (received(upload) !== upload.bytes) return notWhole;
    const { id, pageId } = upload;
    upload.file = { ...readFetched(Buffer.concat(upload.pieces)), id, pageId, altText: null };
    [upload.lags, upload.looksLeft, upload.becomes, upload.isOver] = [lags, takes, fate, true];
    if (fate === 'published') {
      book.publish({ pageId, message: description, link: null, photos: [], film: upload.file });
    }
    return answer({ success: true });
  }

  return {
    serve(pageId: string, fields: Readonly<Record<string, string>>, piece: FormFile | undefined): WireAnswer {
      const phase = fields['upload_phase'] ?? '';
      if (phase === 'start') return start(pageId, fields['file_size'] ?? '');
      const upload = uploads.find(
        (one) => one.session === fields['upload_session_id'] && one.pageId === pageId,
      );
      if (!upload || upload.isOver) {
        return graphRefusal({ message: 'The upload session is over.', code: 6_001, subcode: 1_363_041 });
      }
      switch (phase) {
        case 'transfer':
          return transfer(upload, fields['start_offset'] ?? '', piece);
        case 'finish':
          return finish(upload, fields['description'] ?? '');
        default:
          return badParameter('Param upload_phase must be one of {start, transfer, finish, cancel}');
      }
    },
    /** https://developers.facebook.com/docs/graph-api/reference/video-status; null of a film that there is not. */
    statusOf(pageId: string, id: string) {
      const upload = uploads.find((one) => one.id === id && one.pageId === pageId);
      if (!upload || (upload.file && upload.becomes === 'published' && !book.post(id))) return null;
      const phase = (status: string, more = {}) => ({ status, ...more });
      if (!upload.file || upload.lags-- > 0) {
        const isWhole = received(upload) === upload.bytes;
        // fbsamples/reels_publishing_apis#47 shows the first before it is finished, gitroomhq/postiz-app#1631 the second after.
        const whole = upload.file ? 'upload_complete' : 'processing';
        return {
          video_status: isWhole ? whole : 'uploading',
          uploading_phase: phase(isWhole ? 'complete' : 'in_progress', {
            bytes_transfered: received(upload),
          }),
          processing_phase: phase('not_started'),
          publishing_phase: phase('not_started'),
        };
      }
      // Every look brings what is still processed nearer to its end.
      const isBusy = upload.looksLeft-- > 0;
      const isDone = !isBusy && upload.becomes !== 'nothing';
      const publish_time = '2026-11-21T12:00:00+0000';
      return {
        video_status: isBusy ? 'processing' : isDone ? 'ready' : 'error',
        uploading_phase: phase('complete'),
        processing_phase: phase(isBusy ? 'in_progress' : isDone ? 'complete' : 'error'),
        publishing_phase: isDone
          ? phase('complete', { publish_status: upload.becomes, publish_time })
          : phase('not_started'),
      };
    },
    /** What was begun so far cannot be finished any more. */
    endSessions: () => uploads.forEach((upload) => void (upload.isOver = true)),
    /** How many were begun. */
    uploads: () => uploads.length,
    /** How many looks find what is finished from now on still in progress. */
    processingTakes: (looks: number) => void (takes = looks),
    /** How many looks before them find it as it was before it was finished. */
    statusLags: (looks: number) => void (lags = looks),
    /** What comes of what is finished from now on. */
    willBecome: (what: FilmFate) => void (fate = what),
    /** How long the pieces are that are asked for. */
    takesPiecesOf: (bytes: number) => void (pieceBytes = bytes),
    /** Whether the page has asked for too much for now, so that nothing can be finished. */
    limitFinishing: (isSo: boolean) => void (isLimited = isSo),
  };
}

export type FilmDesk = ReturnType<typeof filmDesk>;
