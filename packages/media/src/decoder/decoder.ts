import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { ByteRange, MediaBytes } from '@switchboard/domain/ports';
import type { DecodeResult, DecodeTask, FromDecoder, ToDecoder } from './protocol.js';

/** The maximum number of bytes read from a file in total: an index or an image needs far less. */
const READ_MAX_BYTES = 128 * 1024 * 1024;
/**
 * The heap limits of a thread. V8 ends only the thread when its heap grows beyond the limit gradually; one
 * allocation more than 16 MiB beyond it ends the process (Node.js 24.21). So this is a second line of
 * defense: decoders allocate nothing in proportion to the sizes that a file claims.
 */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** Why a task ended without its own result. */
type DecoderFailure =
  /** It exhausted memory or processor time. */
  | 'too_costly'
  /** Its thread crashed unexpectedly. */
  | 'crashed'
  | 'out_of_time';

export type DecodeOutcome =
  | { readonly kind: 'decoded'; readonly result: DecodeResult }
  | { readonly kind: 'failed'; readonly reason: DecoderFailure };

interface DecoderLimits {
  /** The time limit of a task. */
  readonly deadlineMs: number;
  /**
   * After the deadline: the processor time from which the file is considered the cause, instead of a busy
   * machine.
   */
  readonly cpuMaxMs: number;
}

/** The compiled program, also where this file runs from source or in a bundle. */
export const decoderProgram: string | URL = createRequire(import.meta.url).resolve(
  '@switchboard/media/decoder',
);

interface CurrentTask {
  readonly file: MediaBytes;
  readBytes: number;
  /** Why the file could not be read. */
  failure: { readonly cause: unknown } | null;
  readonly finish: (outcome: DecodeOutcome) => void;
}

export function startDecoder(program: string | URL, onError: (error: unknown) => void) {
  const worker = new Worker(program, {
    name: 'decoder',
    env: {},
    argv: [],
    execArgv: [],
    // The output of the process may be a protocol.
    stdout: true,
    stderr: true,
    resourceLimits,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  worker.unref();
  let isReady = false;
  let current: CurrentTask | null = null;
  const send = (message: ToDecoder, transfer: readonly ArrayBuffer[] = []) =>
    worker.postMessage(message, transfer);
  const finish = (outcome: DecodeOutcome) => current?.finish(outcome);

  worker.on('message', (message: FromDecoder) => {
    switch (message.kind) {
      case 'ready':
        isReady = true;
        return;
      case 'read':
        return void handleRead(message.id, message.range);
      case 'done':
        return finish({ kind: 'decoded', result: message.result });
    }
  });
  let hasCrashed = false;
  worker.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') return finish({ kind: 'failed', reason: 'too_costly' });
    onError(error);
    hasCrashed = true;
  });
  const ended = new Promise<void>((resolve) => {
    // All messages of the thread have arrived only here: an error may overtake `ready`.
    worker.once('exit', () => {
      // A thread that could not be started does not concern the file.
      finish({ kind: 'failed', reason: hasCrashed && isReady ? 'crashed' : 'out_of_time' });
      resolve();
    });
  });

  async function handleRead(id: number, range: ByteRange): Promise<void> {
    const currentTask = current;
    if (!currentTask) return;
    currentTask.readBytes += range.end + 1 - range.start;
    if (currentTask.readBytes > READ_MAX_BYTES) return send({ kind: 'no_piece', id });
    try {
      const bytes = await readPiece(currentTask.file, range);
      if (current === currentTask) send({ kind: 'piece', id, bytes }, [bytes.buffer]);
    } catch (cause) {
      currentTask.failure = { cause };
      if (current === currentTask) send({ kind: 'no_piece', id });
    }
  }

  return {
    /** Resolves when the thread has exited. Native code that has started completes first. */
    ended,
    end() {
      // Messages of a thread that is being stopped do not concern the file.
      finish({ kind: 'failed', reason: 'out_of_time' });
      void worker.terminate();
    },
    /** Rejects when the file cannot be read. After `failed` the decoder is unusable. */
    decode(
      task: DecodeTask,
      file: MediaBytes,
      { deadlineMs, cpuMaxMs }: DecoderLimits,
    ): Promise<DecodeOutcome> {
      return new Promise((resolve, reject) => {
        const before = readCpuMs(worker);
        const deadlineTimer = setTimeout(() => {
          void Promise.all([before, readCpuMs(worker)]).then(([usedBefore, used]) => {
            const isCostly = used - usedBefore >= cpuMaxMs;
            newTask.finish({ kind: 'failed', reason: isCostly ? 'too_costly' : 'out_of_time' });
          });
        }, deadlineMs);
        const newTask: CurrentTask = {
          file,
          readBytes: 0,
          failure: null,
          finish(outcome) {
            if (current !== newTask) return;
            current = null;
            clearTimeout(deadlineTimer);
            worker.unref();
            if (outcome.kind === 'failed') void worker.terminate();
            if (newTask.failure) reject(new Error('the stored file cannot be read', newTask.failure));
            else if (newTask.readBytes > READ_MAX_BYTES) resolve(readLimitExceeded);
            else resolve(outcome);
          },
        };
        current = newTask;
        worker.ref();
        send({ kind: 'task', task, bytes: file.bytes });
      });
    },
  };
}

/** One worker thread that decodes one file at a time. */
export type Decoder = ReturnType<typeof startDecoder>;

const readLimitExceeded: DecodeOutcome = {
  kind: 'decoded',
  result: { kind: 'unusable', reason: 'too_costly' },
};

/**
 * The processor time of the thread itself. Native code runs in threads of the process; 0 when the thread does
 * not respond.
 */
async function readCpuMs(worker: Worker): Promise<number> {
  const timeout = new Promise<null>((resolve) => setTimeout(resolve, 1000, null).unref());
  const used = await Promise.race([worker.cpuUsage().catch(() => null), timeout]);
  return used === null ? 0 : (used.user + used.system) / 1000;
}

async function readPiece(file: MediaBytes, range: ByteRange): Promise<Uint8Array<ArrayBuffer>> {
  const piece = new Uint8Array(range.end + 1 - range.start);
  let at = 0;
  for await (const bytes of file.read(range)) {
    piece.set(bytes, at);
    at += bytes.length;
  }
  return at === piece.length ? piece : piece.slice(0, at);
}
