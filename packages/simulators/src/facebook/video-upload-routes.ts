import { badParameter, graphRefusal } from '../meta/graph.js';
import { okResponse, type WireResponse } from '../wire/exchange.js';
import type { FormFile } from '../wire/read-multipart.js';
import { sessionClosed, receivedBytes, type VideoUploads, type VideoUpload } from './video-uploads.js';

const MIB = 1024 * 1024;

const offsetError = (offset: number): WireResponse =>
  graphRefusal({
    message: `There was a problem uploading your video file. Please try again from ${offset}.`,
    code: 6_000,
    subcode: 1_363_037,
  });

/**
 * Chunked videos with the parameters of the `/{page-id}/videos` reference: `upload_phase` is `start`,
 * `transfer` and `finish`, and each response contains the next offsets.
 */
export function videoUploadRoutes(uploads: VideoUploads) {
  let pieceBytes = MIB;
  const next = (upload: VideoUpload) => ({
    start_offset: String(receivedBytes(upload)),
    end_offset: String(Math.min(receivedBytes(upload) + pieceBytes, upload.bytes)),
  });

  function start(pageId: string, fileSize: string): WireResponse {
    const bytes = Number(fileSize);
    if (!Number.isSafeInteger(bytes) || bytes <= 0)
      return badParameter('The parameter file_size is required');
    const upload = uploads.begin(pageId, bytes, false);
    return okResponse({ video_id: upload.id, upload_session_id: upload.session, ...next(upload) });
  }

  function transfer(upload: VideoUpload, offset: string, piece: FormFile | undefined): WireResponse {
    if (!piece) return badParameter('The parameter video_file_chunk is required');
    const { start_offset, end_offset } = next(upload);
    if (offset !== start_offset || piece.bytes.length > Number(end_offset) - Number(start_offset)) {
      return offsetError(Number(start_offset));
    }
    upload.pieces.push(piece.bytes);
    return okResponse(next(upload));
  }

  return {
    serve(
      pageId: string,
      fields: Readonly<Record<string, string>>,
      piece: FormFile | undefined,
    ): WireResponse {
      const phase = fields['upload_phase'] ?? '';
      if (phase === 'start') return start(pageId, fields['file_size'] ?? '');
      const session = fields['upload_session_id'];
      const upload = uploads.find(pageId, (one) => one.session === session && !one.isReel);
      if (!upload || upload.isOver) return sessionClosed;
      switch (phase) {
        case 'transfer':
          return transfer(upload, fields['start_offset'] ?? '', piece);
        case 'finish':
          return uploads.finish(upload, fields['description'] ?? '');
        default:
          return badParameter('Param upload_phase must be one of {start, transfer, finish, cancel}');
      }
    },
    /** The requested chunk size. */
    setPieceBytes: (bytes: number) => void (pieceBytes = bytes),
  };
}
