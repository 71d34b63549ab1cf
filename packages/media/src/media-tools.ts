import { isMediaType, kindOfMedia, type MediaTools } from '@switchboard/domain';
import { fileTypeFromBuffer } from 'file-type';
import { bytesOf } from './bytes-of.js';
import { fitImage } from './fit-image.js';
import { inTurn } from './in-turn.js';
import { inspectDocument } from './inspect-document.js';
import { inspectImage } from './inspect-image.js';
import { inspectVideo } from './inspect-video.js';

/** Names that mean a type that we know under another. */
const synonyms: Readonly<Record<string, string>> = { 'image/apng': 'image/png', 'video/x-m4v': 'video/mp4' };

/** file-type looks at how a file begins, sharp decodes images, mediabunny reads the index of videos, and we the end of a PDF. */
export function mediaTools(): MediaTools {
  const turn = inTurn();
  return {
    async recognize(head) {
      const mime = (await fileTypeFromBuffer(head))?.mime ?? '';
      const type = synonyms[mime] ?? mime;
      return isMediaType(type) ? type : null;
    },
    async inspect(type, file) {
      switch (kindOfMedia(type)) {
        case 'image':
          return turn(async () =>
            inspectImage(type, await bytesOf(file.read({ start: 0, end: file.bytes - 1 }))),
          );
        case 'video':
          return inspectVideo(file);
        case 'document':
          return inspectDocument(file);
      }
    },
    fitImage: (bytes, limits) => turn(() => fitImage(bytes, limits)),
  };
}
