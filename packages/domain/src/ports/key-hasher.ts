import type { Secret } from '../secret.js';

/**
 * Generates API keys and verifies them by a keyed hash, so that a stolen database cannot be used to verify
 * keys.
 */
export interface KeyHasher {
  generate(): { readonly token: Secret; readonly publicId: string; readonly hash: Uint8Array };
  /**
   * In constant time. `null` compares with a dummy hash, so that an unknown key takes as long as a wrong one,
   * and returns false.
   */
  matches(token: Secret, hash: Uint8Array | null): boolean;
}
