import type { MediaBytes } from '@switchboard/domain/ports';
import { decoderProgram, startDecoder, type Decoder, type DecodeOutcome } from './decoder.js';
import type { DecodeTask } from './protocol.js';

/** The time limit of one task: enough to decode the largest image on a busy machine. */
const DEADLINE_MS = 60_000;
const CPU_MAX_MS = 20_000;
/** An idle decoder ends after this time: an idle process has none. */
const IDLE_MS = 10_000;

export interface DecoderPoolOptions {
  readonly onError: (error: unknown) => void;
  readonly deadlineMs?: number | undefined;
  readonly cpuMaxMs?: number | undefined;
  readonly idleMs?: number | undefined;
  /** The program of a thread. */
  readonly program?: string | URL | undefined;
}

/** Starts decoders on demand. Their number is not limited here: the queue in front of the pool limits it. */
export function decoderPool({
  onError,
  deadlineMs = DEADLINE_MS,
  cpuMaxMs = CPU_MAX_MS,
  idleMs = IDLE_MS,
  program = decoderProgram,
}: DecoderPoolOptions) {
  const decoders = new Set<Decoder>();
  const idle = new Map<Decoder, NodeJS.Timeout>();
  let closed = false;

  function start(): Decoder {
    const decoder = startDecoder(program, onError);
    decoders.add(decoder);
    void decoder.ended.then(() => {
      decoders.delete(decoder);
      clearTimeout(idle.get(decoder));
      idle.delete(decoder);
    });
    return decoder;
  }

  function checkOut(): Decoder {
    const [waiting] = idle;
    if (!waiting) return start();
    const [decoder, timer] = waiting;
    clearTimeout(timer);
    idle.delete(decoder);
    return decoder;
  }

  const checkIn = (decoder: Decoder) => idle.set(decoder, setTimeout(() => end(decoder), idleMs).unref());

  function end(decoder: Decoder): void {
    idle.delete(decoder);
    decoder.end();
  }

  return {
    count: () => decoders.size,
    /** `done` is called when the memory of the task is free again, which may be after its outcome is known. */
    async decode(task: DecodeTask, file: MediaBytes, done: () => void): Promise<DecodeOutcome> {
      const decoder = checkOut();
      let isUsable = false;
      try {
        const outcome = await decoder.decode(task, file, { deadlineMs, cpuMaxMs });
        isUsable = outcome.kind === 'decoded';
        return outcome;
      } finally {
        if (isUsable && !closed && decoders.has(decoder)) {
          checkIn(decoder);
          done();
        } else {
          decoder.end();
          void decoder.ended.then(done);
        }
      }
    },
    /** Ends all threads; their running tasks are out of time. */
    async close() {
      closed = true;
      const ending = [...decoders];
      for (const decoder of ending) decoder.end();
      await Promise.all(ending.map(({ ended }) => ended));
    },
  };
}

export type DecoderPool = ReturnType<typeof decoderPool>;
