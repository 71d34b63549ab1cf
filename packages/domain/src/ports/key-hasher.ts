import type { Secret } from '../secret.js';

/** Makes API keys and recognises them by a keyed hash, so that a stolen database verifies nothing. */
export interface KeyHasher {
  generate(): { readonly token: Secret; readonly publicId: string; readonly hash: Uint8Array };
  /** In constant time. `null` compares with a dummy, so that an unknown key takes as long as a wrong one; the answer is then false. */
  matches(token: Secret, hash: Uint8Array | null): boolean;
}
