import { isMediaType, kindOfMedia, MEDIA_QUEUE_MAX, VIDEO_INDEX_MAX_BYTES } from '@switchboard/domain/media';
import type {
  DeferredMediaWork,
  ImageFitResult,
  InspectionResult,
  MediaBytes,
  MediaTools,
  MediaWorkOptions,
} from '@switchboard/domain/ports';
import { fileTypeFromBuffer } from 'file-type';
import { decoderPool, type DecoderPoolOptions } from './decoder/decoder-pool.js';
import type { DecodeTask } from './decoder/protocol.js';
import { fairQueue } from './fair-queue.js';

/**
 * The number of concurrent decoders, in total and per workspace: one busy workspace leaves a decoder for the
 * others.
 */
const DECODERS = 2;
const DECODERS_PER_WORKSPACE = 1;

/** Alternative names of accepted types. */
const synonyms: Readonly<Record<string, string>> = { 'image/apng': 'image/png', 'video/x-m4v': 'video/mp4' };

export interface QueuedMediaTools extends MediaTools {
  /** The queue depth of this process. */
  depth(): { readonly waiting: number; readonly running: number };
  threads(): number;
  /** Interrupts waiting and later items; running ones complete. */
  drain(): void;
  /** Interrupts waiting and running items. */
  close(): Promise<void>;
}

interface MediaToolsOptions extends Partial<DecoderPoolOptions> {
  /** How long an item waited before it started. */
  readonly onBegin?: ((waitedSeconds: number) => void) | undefined;
}

/**
 * file-type reads the start of a file in this thread. A worker thread reads everything else, with workspaces
 * taking turns.
 */
export function mediaTools({
  onError = () => undefined,
  onBegin,
  ...limits
}: MediaToolsOptions = {}): QueuedMediaTools {
  const queue = fairQueue({
    slots: DECODERS,
    slotsPerKey: DECODERS_PER_WORKSPACE,
    waitingMaxPerKey: MEDIA_QUEUE_MAX,
    onBegin,
  });
  const pool = decoderPool({ onError, ...limits });

  /** The result of the task; null when it exceeded the limits of one file, or crashed its thread. */
  async function decode<Result extends InspectionResult | ImageFitResult>(
    task: DecodeTask,
    file: MediaBytes,
    { workspaceId, bypassesQueueLimit, signal }: MediaWorkOptions,
  ): Promise<Result | DeferredMediaWork | 'too_costly' | 'crashed'> {
    const turn = await queue.run({ key: workspaceId, bypassesLimit: bypassesQueueLimit, signal }, (release) =>
      pool.decode(task, file, release),
    );
    if (turn.kind === 'full') return { kind: 'queue_full' };
    if (turn.kind === 'interrupted') return turn;
    const outcome = turn.value;
    // A task yields results of its own kind.
    if (outcome.kind === 'decoded') return outcome.result as Result;
    return outcome.reason === 'out_of_time' ? { kind: 'out_of_time' } : outcome.reason;
  }

  return {
    async detectType(head) {
      const mime = (await fileTypeFromBuffer(head))?.mime ?? '';
      const type = synonyms[mime] ?? mime;
      return isMediaType(type) ? type : null;
    },
    isFull: (workspaceId) => queue.isFull(workspaceId),
    async inspect(type, file, turn) {
      const task = {
        kind: 'inspect',
        type,
        media: kindOfMedia(type),
        videoIndexMaxBytes: VIDEO_INDEX_MAX_BYTES,
      } as const;
      const inspection = await decode<InspectionResult>(task, file, turn);
      if (inspection === 'too_costly') return { kind: 'unusable', reason: 'too_costly' };
      return inspection === 'crashed' ? { kind: 'unusable', reason: 'broken' } : inspection;
    },
    async fitImage(file, limits, turn) {
      const fitting = await decode<ImageFitResult>({ kind: 'fit', limits }, file, turn);
      return typeof fitting === 'string' ? { kind: 'impossible' } : fitting;
    },
    depth: () => queue.depth(),
    threads: () => pool.count(),
    drain: () => queue.close(),
    async close() {
      queue.close();
      await pool.close();
    },
  };
}
