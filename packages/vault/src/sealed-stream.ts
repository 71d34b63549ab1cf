import sodium from 'libsodium-wrappers';

/** Libsodium is fastest with this size. */
const CHUNK_BYTES = 256 * 1024;
const LENGTH_BYTES = 4;
/** Of one message of `secretstream`: its tag and its authenticator. */
const OVERHEAD_BYTES = 17;
const HEADER_BYTES = 24;

/** A sealed stream was modified or cut off, or the key is another one. */
export class SealedStreamError extends Error {}

/**
 * Seals a stream of any length with libsodium's secretstream (XChaCha20-Poly1305). A missing, added, modified or
 * moved byte anywhere is detected, and so is a stream that ends early: the last message says that it is the last.
 * `additional` is authenticated with every message. Use a key once.
 *
 * The format: the header of the secretstream, and messages, each after its length (32 bits, big endian).
 */
export async function* sealStream(
  key: Uint8Array,
  additional: Uint8Array,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  await sodium.ready;
  const { state, header } = sodium.crypto_secretstream_xchacha20poly1305_init_push(key);
  const seal = (chunk: Uint8Array, tag: number) =>
    withLength(sodium.crypto_secretstream_xchacha20poly1305_push(state, chunk, additional, tag));
  yield header;
  for await (const chunk of inChunks(source))
    yield seal(chunk, sodium.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
  yield seal(new Uint8Array(0), sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL);
}

/** Opens what `sealStream` sealed. Throws a `SealedStreamError`; everything before it was authentic. */
export async function* openStream(
  key: Uint8Array,
  additional: Uint8Array,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  await sodium.ready;
  const reader = byteReader(source);
  const state = sodium.crypto_secretstream_xchacha20poly1305_init_pull(await reader.read(HEADER_BYTES), key);
  for (;;) {
    const length = (await reader.read(LENGTH_BYTES)).readUInt32BE();
    if (length < OVERHEAD_BYTES || length > CHUNK_BYTES + OVERHEAD_BYTES) throw damaged();
    const opened = sodium.crypto_secretstream_xchacha20poly1305_pull(
      state,
      await reader.read(length),
      additional,
    );
    if (!opened) throw damaged();
    if (opened.tag === sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL) break;
    yield opened.message;
  }
  if (!(await reader.isAtEnd())) throw damaged();
}

const damaged = () => new SealedStreamError('the sealed stream was modified or cut off');

function withLength(message: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + message.length);
  bytes.writeUInt32BE(message.length);
  bytes.set(message, LENGTH_BYTES);
  return bytes;
}

/** Joins small pieces and splits large ones. */
async function* inChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of source) {
    pieces.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES) continue;
    const joined = Buffer.concat(pieces);
    const whole = size - (size % CHUNK_BYTES);
    for (let at = 0; at < whole; at += CHUNK_BYTES) yield joined.subarray(at, at + CHUNK_BYTES);
    pieces = whole < size ? [joined.subarray(whole)] : [];
    size -= whole;
  }
  if (size > 0) yield Buffer.concat(pieces);
}

export function byteReader(source: AsyncIterable<Uint8Array>) {
  const pieces = source[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const pull = async () => {
    const next = await pieces.next();
    if (next.done) return false;
    held = held.length === 0 ? Buffer.from(next.value) : Buffer.concat([held, next.value]);
    return true;
  };
  return {
    /** Exactly this many bytes; throws a `SealedStreamError` when the stream ends before. */
    async read(count: number): Promise<Buffer> {
      while (held.length < count) if (!(await pull())) throw damaged();
      const bytes = held.subarray(0, count);
      held = held.subarray(count);
      return bytes;
    },
    async isAtEnd() {
      while (held.length === 0) if (!(await pull())) return true;
      return false;
    },
    /** The remaining bytes. */
    async *rest(): AsyncGenerator<Uint8Array> {
      do {
        if (held.length > 0) yield held;
        held = Buffer.alloc(0);
      } while (await pull());
    },
  };
}

export type ByteReader = ReturnType<typeof byteReader>;
