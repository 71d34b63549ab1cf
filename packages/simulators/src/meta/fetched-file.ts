import { sha256Of } from '../wire/sha256.js';

export interface FetchedFile {
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Null when it is not an image. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

/** The file at a URL; null when there is none. */
export type FetchFile = (url: string) => Promise<Uint8Array | null>;

/** By its first bytes, regardless of its URL. */
export function parseFetchedFile(content: Uint8Array): FetchedFile {
  const bytes = Buffer.from(content);
  const type = typeOf(bytes);
  return {
    type,
    bytes: bytes.length,
    sha256: sha256Of(bytes),
    size: sizeOf(type, bytes),
  };
}

function typeOf(bytes: Buffer): string {
  if (bytes.subarray(0, 3).toString('hex') === 'ffd8ff') return 'image/jpeg';
  if (bytes.subarray(1, 4).toString('latin1') === 'PNG') return 'image/png';
  if (bytes.subarray(8, 12).toString('latin1') === 'WEBP') return 'image/webp';
  if (bytes.subarray(0, 4).toString('hex') === '1a45dfa3') return 'video/webm';
  const brand = bytes.subarray(4, 12).toString('latin1');
  if (brand === 'ftypqt  ') return 'video/quicktime';
  return brand.startsWith('ftyp') ? 'video/mp4' : 'application/octet-stream';
}

function sizeOf(type: string, bytes: Buffer): FetchedFile['size'] {
  if (type === 'image/png') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  return type === 'image/jpeg' ? sizeOfJpeg(bytes) : null;
}

/** The dimensions are in the start-of-frame segment: `C0` to `CF` except `C4`, `C8` and `CC`. */
function sizeOfJpeg(bytes: Buffer): FetchedFile['size'] {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1] ?? 0;
    const beginsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (beginsFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
  return null;
}
