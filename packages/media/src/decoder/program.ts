/**
 * The program of a worker thread that decodes untrusted files, one at a time. It has no access to storage,
 * network or environment: it requests each chunk of a file from the thread that started it.
 */
import { parentPort, type MessagePort } from 'node:worker_threads';
import type { MediaBytes, ByteRange } from '@switchboard/domain/ports';
import { readAll } from '../read-all.js';
import { inspectDocument } from '../inspect-document.js';
import { inspectVideo } from '../videos/inspect-video.js';
import type { DecodeResult, DecodeTask, FromDecoder, ToDecoder } from './protocol.js';

if (!parentPort) throw new Error('A decoder runs in a worker thread.');
const port: MessagePort = parentPort;
const send = (message: FromDecoder, transfer: readonly ArrayBuffer[] = []) =>
  port.postMessage(message, transfer);

interface PendingRead {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}
const pendingReads = new Map<number, PendingRead>();
let nextReadId = 0;

port.on('message', (message: ToDecoder) => {
  if (message.kind === 'task') return void runTask(message.task, message.bytes);
  const { resolve, reject } = pendingReads.get(message.id) ?? {};
  pendingReads.delete(message.id);
  if (message.kind === 'piece') resolve?.(message.bytes);
  else reject?.(new Error('no more data'));
});

async function runTask(task: DecodeTask, bytes: number): Promise<void> {
  const file = remoteFile(bytes, (range) => {
    const id = nextReadId++;
    return new Promise((resolve, reject) => {
      pendingReads.set(id, { resolve, reject });
      send({ kind: 'read', id, range });
    });
  });
  const result = await decode(task, file);
  if (result.kind !== 'fitted') return send({ kind: 'done', result });
  // The decoder's memory cannot be transferred to another thread.
  const image = { ...result.image, bytes: new Uint8Array(result.image.bytes) };
  send({ kind: 'done', result: { kind: 'fitted', image } }, [image.bytes.buffer]);
}

/**
 * An unreadable file is reported as broken: the other thread, which reads it, knows whether the file is the
 * cause.
 */
async function decode(task: DecodeTask, file: MediaBytes): Promise<DecodeResult> {
  const readWhole = () => readAll(file.read({ start: 0, end: file.bytes - 1 }));
  try {
    if (task.kind === 'fit') {
      const { fitImage } = await import('../images/fit-image.js');
      return await fitImage(await readWhole(), task.limits);
    }
    switch (task.media) {
      case 'image': {
        const { inspectImage } = await import('../images/inspect-image.js');
        return await inspectImage(task.type, await readWhole());
      }
      case 'video':
        return await inspectVideo(task.type, file, task.videoIndexMaxBytes);
      case 'document':
        return await inspectDocument(file);
    }
  } catch {
    return task.kind === 'fit' ? { kind: 'impossible' } : { kind: 'unusable', reason: 'broken' };
  }
}

send({ kind: 'ready' });

/** The number of bytes per request. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** A file that another thread reads. `fetchRange` rejects when that thread cannot, or may not, read it. */
function remoteFile(bytes: number, fetchRange: (range: ByteRange) => Promise<Uint8Array>): MediaBytes {
  return {
    bytes,
    async *read({ start, end }) {
      for (let at = start; at <= end; at += PIECE_BYTES) {
        yield await fetchRange({ start: at, end: Math.min(at + PIECE_BYTES - 1, end) });
      }
    },
  };
}
