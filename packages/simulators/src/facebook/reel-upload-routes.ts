import { badParameter } from '../meta/graph.js';
import { okResponse, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { sessionClosed, receivedBytes, type VideoUploads } from './video-uploads.js';

const STATES = ['DRAFT', 'SCHEDULED', 'PUBLISHED'];

/** The error format of rupload.facebook.com, with its own envelope. */
const uploadError = (status: number, type: string, message: string, retriable = false): WireResponse => ({
  status,
  json: { debug_info: { retriable, type, message } },
});

/**
 * Reels: https://developers.facebook.com/documentation/video-api/guides/reels-publishing, read on 2026-11-22.
 */
export function reelUploadRoutes(uploads: VideoUploads) {
  return {
    /** `POST /{page-id}/video_reels` */
    serve(pageId: string, version: string, fields: Readonly<Record<string, string>>): WireResponse {
      const { upload_phase: phase, video_id: id, video_state: state = '', description = '' } = fields;
      if (phase === 'start') {
        const { id: video_id } = uploads.begin(pageId, 0, true);
        const upload_url = `https://rupload.facebook.com/video-upload/${version}/${video_id}`;
        return okResponse({ video_id, upload_url });
      }
      if (phase !== 'finish') return badParameter('Missing parameter: upload_phase');
      if (id === undefined) return badParameter('Missing parameter: video_id');
      if (!STATES.includes(state))
        return badParameter('Param video_state must be one of {DRAFT, SCHEDULED, PUBLISHED}');
      if (state !== 'PUBLISHED') return badParameter('Here only reels that are published at once');
      const upload = uploads.find(pageId, (one) => one.id === id && one.isReel);
      return !upload || upload.isOver ? sessionClosed : uploads.finish(upload, description);
    },

    /** `POST https://rupload.facebook.com/video-upload/{version}/{video-id}`, controlled by its headers. */
    receive(pageId: string, { method, path, headers, body }: WireRequest): WireResponse {
      const { authorization, offset, file_size: size } = headers;
      if (!/^OAuth ./.test(String(authorization)))
        return uploadError(400, 'NotAuthorizedError', 'Authorization should contain "OAuth {access-token}"');
      const id = path.split('/').at(-1);
      const upload = uploads.find(pageId, (one) => one.id === id && one.isReel && !one.isOver);
      if (method !== 'POST' || !upload) return uploadError(404, 'NotFoundError', 'There is no such upload');
      const wrong = [offset, size].findIndex((one) => !/^\d+$/.test(String(one)));
      if (wrong >= 0) {
        const message = `HeaderValuePredicate: Header ${wrong === 0 ? 'Offset' : 'file_size'} not convertable to unsigned long`;
        return uploadError(400, 'ParameterValidationError', message);
      }
      if (Number(offset) !== receivedBytes(upload))
        return uploadError(412, 'OffsetInvalidError', 'Request starting offset is invalid', true);
      upload.bytes = Number(size);
      upload.pieces.push(body instanceof Uint8Array ? body : new Uint8Array());
      return receivedBytes(upload) === upload.bytes
        ? okResponse({ success: true })
        : uploadError(400, 'PartialRequestError', 'Partial request (did not match length of file)');
    },
  };
}
