import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { canonicalJson, ok, refuse, type Cursors, type CursorScope } from '@switchboard/domain';
import { lengthPrefixed } from './length-prefixed.js';

const TAG_BYTES = 16;

/** A cursor is base64url of 16 bytes of HMAC-SHA-256 and the position. The scope is authenticated and not in it. */
export function hmacCursors({ key: bytes }: { readonly key: Uint8Array }): Cursors {
  const key = createSecretKey(bytes);
  const tagOf = ({ workspaceId, list, filter }: CursorScope, position: Uint8Array) =>
    createHmac('sha256', key)
      .update(lengthPrefixed(['swb-cursor-1', workspaceId, list, canonicalJson(filter), position]))
      .digest()
      .subarray(0, TAG_BYTES);

  return {
    write(scope, position) {
      if (!position.isWellFormed())
        throw new Error('a position with an unpaired surrogate would not come back');
      const bytes = Buffer.from(position, 'utf8');
      return Buffer.concat([tagOf(scope, bytes), bytes]).toString('base64url');
    },

    read(scope, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const position = bytes.subarray(TAG_BYTES);
      // Decoding skips foreign characters and ignores the last one's spare bits: many texts, the same bytes.
      const isOurs =
        bytes.length >= TAG_BYTES &&
        bytes.toString('base64url') === cursor &&
        timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(scope, position));
      return isOurs
        ? ok(position.toString('utf8'))
        : refuse(
            'request.invalid_cursor',
            'Use next_cursor of the page before, with the same filters, or leave it out.',
          );
    },
  };
}
