import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

const decompressors = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
} as const;
const inflateRawAsync = promisify(inflateRaw);

const isCoding = (name: string): name is keyof typeof decompressors => Object.hasOwn(decompressors, name);

export const acceptedCodings = 'gzip, deflate, br';

type DecodedBody = Uint8Array | 'too_large' | 'truncated' | 'protocol';

/**
 * Decodes `content-encoding` without holding more than `maxBytes` of the result, even for a decompression
 * bomb.
 */
export async function decodeBody(
  body: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<DecodedBody> {
  const codings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  let bytes = body;
  if (bytes.length === 0 || codings.length === 0) return bytes;
  if (codings.length > 2) return 'protocol';
  for (const coding of codings.reverse()) {
    if (!isCoding(coding)) return 'protocol';
    try {
      bytes = await decompress(coding, bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ERR_BUFFER_TOO_LARGE') return 'too_large';
      return code === 'Z_BUF_ERROR' ? 'truncated' : 'protocol';
    }
  }
  return bytes;
}

/** Some servers send "deflate" without the zlib header, whose first byte has 8 in its low nibble. */
const decompress = (
  coding: keyof typeof decompressors,
  bytes: Buffer,
  limits: { maxOutputLength: number },
): Promise<Buffer> =>
  coding === 'deflate' && ((bytes[0] ?? 0) & 0x0f) !== 8
    ? inflateRawAsync(bytes, limits)
    : decompressors[coding](bytes, limits);
