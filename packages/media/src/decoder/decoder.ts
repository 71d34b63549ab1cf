import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { ByteRange, MediaBytes } from '@switchboard/domain';
import type { DecodeResult, DecodeTask, FromDecoder, ToDecoder } from './protocol.js';

/** Of a file no more is read than this, however often: what an index or a picture needs is far less. */
const READ_MAX_BYTES = 128 * 1024 * 1024;
/**
 * The heap of a thread. V8 ends only the thread when its heap grows beyond this little by little; one allocation that goes more
 * than 16 MiB beyond it ends the process (Node.js 24.21). So this is a second line: decoders hold nothing in proportion to what a
 * file claims.
 */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** How a task ended that came to no result of its own. */
export type DecoderFailure =
  /** It used up memory or processor time. */
  | 'too_costly'
  /** Its thread died of something that was not expected of it. */
  | 'crashed'
  | 'out_of_time';

export type DecodeOutcome =
  | { readonly kind: 'decoded'; readonly result: DecodeResult }
  | { readonly kind: 'failed'; readonly reason: DecoderFailure };

/** One worker thread that decodes one file at a time. */
export interface Decoder {
  /** Rejects when the file cannot be read. After `failed` the decoder is of no more use. */
  decode(task: DecodeTask, file: MediaBytes, limits: DecoderLimits): Promise<DecodeOutcome>;
  /** Resolves when the thread is gone. What native code has begun it finishes first. */
  readonly ended: Promise<void>;
  end(): void;
}

export interface DecoderLimits {
  /** How long an item may take. */
  readonly deadlineMs: number;
  /** After the deadline: how much its thread must have worked for the file to be to blame, and not a busy machine. */
  readonly cpuMaxMs: number;
}

/** The compiled program, also where this file is run from its source or in a bundle. */
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

export function startDecoder(program: string | URL, onError: (error: unknown) => void): Decoder {
  const worker = new Worker(program, {
    name: 'decoder',
    env: {},
    argv: [],
    execArgv: [],
    // Output of the process may be a protocol.
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
    // Only here has every message of the thread arrived: an error may overtake `ready`.
    worker.once('exit', () => {
      // A thread that could not be started says nothing about the file.
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
    ended,
    end() {
      // What a thread says while it is stopped is not about the file.
      finish({ kind: 'failed', reason: 'out_of_time' });
      void worker.terminate();
    },
    decode(task, file, { deadlineMs, cpuMaxMs }) {
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

const readLimitExceeded: DecodeOutcome = {
  kind: 'decoded',
  result: { kind: 'unusable', why: 'too_costly' },
};

/** How long the thread itself has worked. Native code works in threads of the process; 0 where the thread does not say. */
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
