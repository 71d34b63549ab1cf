import type { Inspected, MediaBytes } from '@switchboard/domain';
import { CustomSource, EncodedPacketSink, Input, MP4, QTFF, WEBM } from 'mediabunny';
import { bytesOf } from './bytes-of.js';

/** An index is small beside its video. Whoever makes one that is not wants our memory. */
const READ_MAX_BYTES = 128 * 1024 * 1024;
const SIDE_MAX = 16_384;
const SECONDS_MAX = 48 * 3600;

/** Reads the index and the last picture: a video that was cut off has lost one or the other. */
export async function inspectVideo(file: MediaBytes): Promise<Inspected | null> {
  let left = READ_MAX_BYTES;
  let failure: Error | null = null;
  const source = new CustomSource({
    getSize: () => file.bytes,
    read: async (start, end) => {
      left -= end - start;
      if (left < 0) throw new Error('the index is too large');
      try {
        return await bytesOf(file.read({ start, end: end - 1 }));
      } catch (error) {
        failure = new Error('the stored video cannot be read', { cause: error });
        throw failure;
      }
    },
    handleUnhandledError: () => undefined,
  });
  const input = new Input({ source, formats: [MP4, QTFF, WEBM] });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track) return null;
    const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
    const last = await new EncodedPacketSink(track).getPacket(Infinity);
    const durationSeconds = await track.computeDuration();
    if (!last || last.data.length === 0 || !(durationSeconds > 0 && durationSeconds < SECONDS_MAX))
      return null;
    if (!(width > 0 && height > 0 && width <= SIDE_MAX && height <= SIDE_MAX)) return null;
    return { width, height, durationSeconds, animated: false };
  } catch {
    // That the store failed says nothing about the video.
    if (failure) throw failure as Error;
    return null;
  } finally {
    input.dispose();
  }
}
