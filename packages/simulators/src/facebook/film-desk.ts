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
  looksLeft: number;
  fails: boolean;
  isOver: boolean;
}

const FIRST_FILM = 122_400_000_000_000_001n;
const PIECE_BYTES = 1024 * 1024;

const problemAt = (offset: number): WireAnswer =>
  graphRefusal({
    message: `There was a problem uploading your video file. Please try again from ${offset}.`,
    ...{ code: 6_000, subcode: 1_363_037 },
  });
const notWhole = graphRefusal({
  message: 'The video was not uploaded wholly.',
  ...{ code: 6_000, subcode: 1_363_033 },
});

/**
 * Films in pieces, as the reference of `/{page-id}/videos` has its parameters: `upload_phase` is `start`, `transfer` and `finish`,
 * and how much comes next is said in the answers.
 */
export function filmDesk(book: PageBook) {
  const uploads: Upload[] = [];
  let [takes, fails] = [0, false];
  const received = ({ pieces }: Upload) => pieces.reduce((sum, { length }) => sum + length, 0);
  const next = (upload: Upload) => ({
    start_offset: String(received(upload)),
    end_offset: String(Math.min(received(upload) + PIECE_BYTES, upload.bytes)),
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
      looksLeft: 0,
      fails: false,
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
    if (received(upload) !== upload.bytes) return notWhole;
    const { id, pageId } = upload;
    upload.file = { ...readFetched(Buffer.concat(upload.pieces)), id, pageId, altText: null };
    [upload.looksLeft, upload.fails, upload.isOver] = [takes, fails, true];
    if (!fails) {
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
      if (!upload || (upload.file && !upload.fails && !book.post(id))) return null;
      const phase = (status: string, more = {}) => ({ status, ...more });
      if (!upload.file) {
        const isWhole = received(upload) === upload.bytes;
        return {
          video_status: isWhole ? 'upload_complete' : 'uploading',
          uploading_phase: phase(isWhole ? 'complete' : 'in_progress', {
            bytes_transfered: received(upload),
          }),
          processing_phase: phase('not_started'),
          publishing_phase: phase('not_started'),
        };
      }
      // Every look brings what is still processed nearer to its end.
      const isBusy = upload.looksLeft-- > 0;
      const isDone = !isBusy && !upload.fails;
      return {
        video_status: isBusy ? 'processing' : isDone ? 'ready' : 'error',
        uploading_phase: phase('complete'),
        processing_phase: phase(isBusy ? 'in_progress' : isDone ? 'complete' : 'error'),
        publishing_phase: isDone
          ? phase('complete', { publish_status: 'published', publish_time: '2026-11-21T12:00:00+0000' })
          : phase('not_started'),
      };
    },
    /** What was begun so far cannot be finished any more. */
    endSessions: () => uploads.forEach((upload) => void (upload.isOver = true)),
    /** How many were begun. */
    uploads: () => uploads.length,
    /** How many looks find what is finished from now on still in progress. */
    processingTakes: (looks: number) => void (takes = looks),
    /** Whether nothing comes of what is finished from now on. */
    processingFails: (isSo: boolean) => void (fails = isSo),
  };
}

export type FilmDesk = ReturnType<typeof filmDesk>;
