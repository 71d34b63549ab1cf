import { badParameter, graphRefusal } from '../meta/graph.js';
import { answer, type WireAnswer } from '../wire/exchange.js';
import type { FormFile } from '../wire/read-multipart.js';
import { isOverNow, received, type FilmUploads, type Upload } from './film-uploads.js';

const MIB = 1024 * 1024;

const problemAt = (offset: number): WireAnswer =>
  graphRefusal({
    message: `There was a problem uploading your video file. Please try again from ${offset}.`,
    code: 6_000,
    subcode: 1_363_037,
  });

/**
 * Films in pieces, as the reference of `/{page-id}/videos` has its parameters: `upload_phase` is `start`, `transfer` and `finish`,
 * and how much comes next is said in the answers.
 */
export function filmDesk(uploads: FilmUploads) {
  let pieceBytes = MIB;
  const next = (upload: Upload) => ({
    start_offset: String(received(upload)),
    end_offset: String(Math.min(received(upload) + pieceBytes, upload.bytes)),
  });

  function start(pageId: string, fileSize: string): WireAnswer {
    const bytes = Number(fileSize);
    if (!Number.isSafeInteger(bytes) || bytes <= 0)
      return badParameter('The parameter file_size is required');
    const upload = uploads.begin(pageId, bytes, false);
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

  return {
    serve(pageId: string, fields: Readonly<Record<string, string>>, piece: FormFile | undefined): WireAnswer {
      const phase = fields['upload_phase'] ?? '';
      if (phase === 'start') return start(pageId, fields['file_size'] ?? '');
      const session = fields['upload_session_id'];
      const upload = uploads.find(pageId, (one) => one.session === session && !one.isReel);
      if (!upload || upload.isOver) return isOverNow;
      switch (phase) {
        case 'transfer':
          return transfer(upload, fields['start_offset'] ?? '', piece);
        case 'finish':
          return uploads.finish(upload, fields['description'] ?? '');
        default:
          return badParameter('Param upload_phase must be one of {start, transfer, finish, cancel}');
      }
    },
    /** How long the pieces are that are asked for. */
    takesPiecesOf: (bytes: number) => void (pieceBytes = bytes),
  };
}

export type FilmDesk = ReturnType<typeof filmDesk>;
