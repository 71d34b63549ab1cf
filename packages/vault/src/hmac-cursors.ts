import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { canonicalJson, ok, refuse } from '@switchboard/domain';
import type { Cursors, CursorScope } from '@switchboard/domain/ports';
import { lengthPrefixed } from './length-prefixed.js';

const TAG_BYTES = 16;

/**
 * A cursor is base64url of 16 bytes of HMAC-SHA-256 and the deflated position: positions in many stores fit
 * into a query string. The MAC covers the scope without storing it, and an unauthenticated cursor is never
 * inflated.
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
        throw new Error('a position with an unpaired surrogate cannot be restored');
      const packed = deflateRawSync(Buffer.from(position, 'utf8'));
      return Buffer.concat([computeTag(scope, packed), packed]).toString('base64url');
    },

    read(scope, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const packed = bytes.subarray(TAG_BYTES);
      // Base64 decoding skips foreign characters and ignores the spare bits of the last one: many texts
      // decode to the same bytes.
      const isAuthentic =
        bytes.length >= TAG_BYTES &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(bytes.subarray(0, TAG_BYTES), computeTag(scope, packed));
      return isAuthentic
        ? ok(inflateRawSync(packed).toString('utf8'))
        : refuse(
            'request.invalid_cursor',
            'Pass next_cursor of the previous page with the same filters, or omit it.',
          );
    },
  };
}
