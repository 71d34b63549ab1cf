import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { canonicalJson, ok, refuse } from '@switchboard/domain';
import type { Cursors, CursorScope } from '@switchboard/domain/ports';
import { lengthPrefixed } from './length-prefixed.js';

const TAG_BYTES = 16;
/** Positions of up to this length are not deflated, which would cost more than all the rest. */
const PLAIN_MAX_BYTES = 256;

/**
 * A cursor is base64url of 16 bytes of HMAC-SHA-256, one byte for the encoding, and the position, which is
 * deflated where it is long: positions in many stores fit into a query string. The MAC covers the scope without
 * storing it, and an unauthenticated cursor is never inflated.
 */
export function hmacCursors({ key: bytes }: { readonly key: Uint8Array }): Cursors {
  const key = createSecretKey(bytes);
  const computeTag = ({ workspaceId, list, filter }: CursorScope, packed: Uint8Array) =>
    createHmac('sha256', key)
      .update(lengthPrefixed(['swb-cursor-3', workspaceId, list, canonicalJson(filter), packed]))
      .digest()
      .subarray(0, TAG_BYTES);

  return {
    write(scope, position) {
      if (!position.isWellFormed())
        throw new Error('a position with an unpaired surrogate cannot be restored');
      const packed = pack(Buffer.from(position, 'utf8'));
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
        ? ok(unpack(packed).toString('utf8'))
        : refuse(
            'request.invalid_cursor',
            'Pass the cursor of the previous page (next_cursor or after) with the same filters, or omit it.',
          );
    },
  };
}

const PLAIN = 0;
const DEFLATED = 1;

const pack = (position: Buffer): Buffer =>
  position.length <= PLAIN_MAX_BYTES
    ? Buffer.concat([Buffer.of(PLAIN), position])
    : Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(position)]);

const unpack = (packed: Buffer): Buffer =>
  packed[0] === PLAIN ? packed.subarray(1) : inflateRawSync(packed.subarray(1));
