import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { canonicalJson, ok, refuse, type Cursors, type CursorScope } from '@switchboard/domain';
import { lengthPrefixed } from './length-prefixed.js';

const TAG_BYTES = 16;

/**
 * A cursor is base64url of 16 bytes of HMAC-SHA-256 and the position, deflated: a place in each of many stores goes into a
 * query string. The scope is authenticated and not in it; what is not authentic is never inflated.
 */
export function hmacCursors({ key: bytes }: { readonly key: Uint8Array }): Cursors {
  const key = createSecretKey(bytes);
  const computeTag = ({ workspaceId, list, filter }: CursorScope, packed: Uint8Array) =>
    createHmac('sha256', key)
      .update(lengthPrefixed(['swb-cursor-2', workspaceId, list, canonicalJson(filter), packed]))
      .digest()
      .subarray(0, TAG_BYTES);

  return {
    write(scope, position) {
      if (!position.isWellFormed())
        throw new Error('a position with an unpaired surrogate would not come back');
      const packed = deflateRawSync(Buffer.from(position, 'utf8'));
      return Buffer.concat([computeTag(scope, packed), packed]).toString('base64url');
    },

    read(scope, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const packed = bytes.subarray(TAG_BYTES);
      // Decoding skips foreign characters and ignores the last one's spare bits: many texts, the same bytes.
      const isAuthentic =
        bytes.length >= TAG_BYTES &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(bytes.subarray(0, TAG_BYTES), computeTag(scope, packed));
      return isAuthentic
        ? ok(inflateRawSync(packed).toString('utf8'))
        : refuse(
            'request.invalid_cursor',
            'Use next_cursor of the page before, with the same filters, or leave it out.',
          );
    },
  };
}
