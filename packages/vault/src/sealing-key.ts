import { createHash } from 'node:crypto';
import sodium from 'libsodium-wrappers';

/** A key ready for use: its ID and version in an envelope, and one sub-key per purpose. */
export interface SealingKey {
  /** 16 bytes derived from the key's name. Not secret. */
  readonly id: Uint8Array;
  readonly version: number;
  readonly encryption: Uint8Array;
  readonly commitment: Uint8Array;
  readonly derivation: Uint8Array;
}

// Wipes the sub-keys only when the key is garbage collected: wiping earlier would let a remaining holder seal
// with zeroes.
const wipeRegistry = new FinalizationRegistry<readonly Uint8Array[]>((parts) => {
  for (const part of parts) part.fill(0);
});

/** Does not retain `root` (32 bytes): the caller wipes it. Requires `sodium.ready`. */
export function sealingKey(name: string, version: number, root: Uint8Array): SealingKey {
  const key = {
    id: createHash('sha256').update(`swb-key-1:${name}`).digest().subarray(0, 16),
    version,
    encryption: sodium.crypto_kdf_derive_from_key(32, 1, 'swv1enc_', root),
    commitment: sodium.crypto_kdf_derive_from_key(32, 2, 'swv1com_', root),
    derivation: sodium.crypto_kdf_derive_from_key(32, 3, 'swv1der_', root),
  };
  wipeRegistry.register(key, [key.encryption, key.commitment, key.derivation]);
  return key;
}
