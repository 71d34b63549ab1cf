import { isMediaType, kindOfMedia, type MediaTools } from '@switchboard/domain';
import { fileTypeFromBuffer } from 'file-type';
import { bytesOf } from './bytes-of.js';
import { fitImage } from './fit-image.js';
import { inTurn } from './in-turn.js';
import { inspectImage } from './inspect-image.js';
import { inspectVideo } from './inspect-video.js';

/** Names that mean a type that we know under another. */
const synonyms: Readonly<Record<string, string>> = { 'image/apng': 'image/png', 'video/x-m4v': 'video/mp4' };

/** file-type looks at how a file begins, sharp decodes images, mediabunny reads the index of videos. */
export function mediaTools(): MediaTools {
  const turn = inTurn();
  return {
    async recognize(head) {
      const mime = (await fileTypeFromBuffer(head))?.mime ?? '';
      const type = synonyms[mime] ?? mime;
      return isMediaType(type) ? type : null;
    },
    inspect: (type, file) =>
      kindOfMedia(type) === 'video'
        ? inspectVideo(file)
        : turn(async () => inspectImage(type, await bytesOf(file.read({ start: 0, end: file.bytes - 1 })))),
    fitImage: (bytes, limits) => turn(() => fitImage(bytes, limits)),
  };
}
