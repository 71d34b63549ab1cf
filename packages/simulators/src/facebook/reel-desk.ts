import { badParameter } from '../meta/graph.js';
import { answer, type WireAnswer, type WireRequest } from '../wire/exchange.js';
import { isOverNow, received, type FilmUploads } from './film-uploads.js';

const STATES = ['DRAFT', 'SCHEDULED', 'PUBLISHED'];

/** How rupload.facebook.com says no, in an envelope of its own. */
const refused = (status: number, type: string, message: string, retriable = false): WireAnswer => ({
  status,
  json: { debug_info: { retriable, type, message } },
});

/** Reels: https://developers.facebook.com/documentation/video-api/guides/reels-publishing, read on 2026-11-22. */
export function reelDesk(uploads: FilmUploads) {
  return {
    /** `POST /{page-id}/video_reels` */
    serve(pageId: string, version: string, fields: Readonly<Record<string, string>>): WireAnswer {
      const { upload_phase: phase, video_id: id, video_state: state = '', description = '' } = fields;
      if (phase === 'start') {
        const { id: video_id } = uploads.begin(pageId, 0, true);
        const upload_url = `https://rupload.facebook.com/video-upload/${version}/${video_id}`;
        return answer({ video_id, upload_url });
      }
      if (phase !== 'finish') return badParameter('Missing parameter: upload_phase');
      if (id === undefined) return badParameter('Missing parameter: video_id');
      if (!STATES.includes(state))
        return badParameter('Param video_state must be one of {DRAFT, SCHEDULED, PUBLISHED}');
      if (state !== 'PUBLISHED') return badParameter('Here only reels that are published at once');
      const upload = uploads.find(pageId, (one) => one.id === id && one.isReel);
      return !upload || upload.isOver ? isOverNow : uploads.finish(upload, description);
    },

    /** `POST https://rupload.facebook.com/video-upload/{version}/{video-id}`, of what stands there in the headers. */
    receive(pageId: string, { method, path, headers, body }: WireRequest): WireAnswer {
      const { authorization, offset, file_size: size } = headers;
      if (!/^OAuth ./.test(String(authorization)))
        return refused(400, 'NotAuthorizedError', 'Authorization should contain "OAuth {access-token}"');
      const id = path.split('/').at(-1);
      const upload = uploads.find(pageId, (one) => one.id === id && one.isReel && !one.isOver);
      if (method !== 'POST' || !upload) return refused(404, 'NotFoundError', 'There is no such upload');
      const wrong = [offset, size].findIndex((one) => !/^\d+$/.test(String(one)));
      if (wrong >= 0) {
        const message = `HeaderValuePredicate: Header ${wrong === 0 ? 'Offset' : 'file_size'} not convertable to unsigned long`;
        return refused(400, 'ParameterValidationError', message);
      }
      if (Number(offset) !== received(upload))
        return refused(412, 'OffsetInvalidError', 'Request starting offset is invalid', true);
      upload.bytes = Number(size);
      upload.pieces.push(body instanceof Uint8Array ? body : new Uint8Array());
      return received(upload) === upload.bytes
        ? answer({ success: true })
        : refused(400, 'PartialRequestError', 'Partial request (did not match length of file)');
    },
  };
}

export type ReelDesk = ReturnType<typeof reelDesk>;
