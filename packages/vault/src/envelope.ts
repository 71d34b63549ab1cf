import { randomBytes, timingSafeEqual } from 'node:crypto';
import { ok, refuse, type Refusal, type Result } from '@switchboard/domain';
import sodium from 'libsodium-wrappers';
import { lengthPrefixed } from './length-prefixed.js';
import { pad, unpad } from './padding.js';
import type { SealingKey } from './sealing-key.js';

/**
 * The envelope format: an 88-byte header followed by the ciphertext, without padding. Numbers are big endian.
 *
 *     0   4  "SWV1"
 *     4   1  format version: 1
 *     5   1  suite: 1 = XChaCha20-Poly1305, committed to by keyed BLAKE2b-256 (2 is reserved for AEGIS-256)
 *     6   1  kind: 1 = data key under a master key, 2 = record under a data key
 *     7   1  flags: 0
 *     8  16  key id
 *    24   4  key version
 *    28  24  nonce, random for every envelope
 *    52  32  commitment to the key, over bytes 0 to 51 and the tag
 *    84   4  n = length of the ciphertext with its tag
 *    88   n  ciphertext of the padded secret
 *
 * Poly1305 is not key-committing: without the commitment, a ciphertext can be constructed that opens under
 * two keys. The additional data are bytes 0 to 27 and the slot, each prefixed with its length.
 */
const MAGIC_AND_SUITE = Buffer.from([...Buffer.from('SWV1', 'latin1'), 1, 1]);
const KEY_ID_AT = 8;
const KEY_VERSION_AT = 24;
const NONCE_AT = 28;
const COMMITMENT_AT = 52;
const LENGTH_AT = 84;
const HEADER_BYTES = 88;
const NONCE_BYTES = COMMITMENT_AT - NONCE_AT;
const COMMITMENT_BYTES = LENGTH_AT - COMMITMENT_AT;
const TAG_BYTES = 16;
const SECRET_BYTES_MAX = 16 * 1024 * 1024;

const kinds = { dataKey: 1, record: 2 } as const;

type EnvelopeKind = keyof typeof kinds;

/** Requires `sodium.ready`. The caller wipes `secret`. */
export function sealEnvelope(
  key: SealingKey,
  kind: EnvelopeKind,
  context: Uint8Array,
  secret: Uint8Array,
): Uint8Array {
  if (secret.length > SECRET_BYTES_MAX) throw new Error('the secret exceeds the maximum size');
  const { start, additional } = getEnvelopeStart(key, kind);
  const nonce = randomBytes(NONCE_BYTES);
  const padded = pad(secret);
  const ciphertext = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
    padded,
    encodeAdditionalData(additional, context),
    null,
    nonce,
    key.encryption,
  );
  padded.fill(0);

  const envelope = Buffer.alloc(HEADER_BYTES + ciphertext.length);
  envelope.set(start);
  envelope.set(nonce, NONCE_AT);
  envelope.writeUInt32BE(ciphertext.length, LENGTH_AT);
  envelope.set(ciphertext, HEADER_BYTES);
  envelope.set(computeCommitment(key, envelope), COMMITMENT_AT);
  return envelope;
}

/** Requires `sodium.ready`. The caller wipes the returned secret. */
export function openEnvelope(
  key: SealingKey,
  kind: EnvelopeKind,
  context: Uint8Array,
  sealed: Uint8Array,
): Result<Uint8Array, 'vault.unreadable'> {
  const envelope = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
  const { start, additional } = getEnvelopeStart(key, kind);
  if (envelope.length < HEADER_BYTES + TAG_BYTES) return refuseUnreadable();
  if (envelope.readUInt32BE(LENGTH_AT) !== envelope.length - HEADER_BYTES) return refuseUnreadable();
  if (envelope.compare(start, 0, NONCE_AT, 0, NONCE_AT) !== 0) return refuseUnreadable();
  if (!timingSafeEqual(computeCommitment(key, envelope), envelope.subarray(COMMITMENT_AT, LENGTH_AT)))
    return refuseUnreadable();

  const padded = decrypt(key, encodeAdditionalData(additional, context), envelope);
  const secret = padded && unpad(padded);
  return secret ? ok(secret) : refuseUnreadable();
}

/**
 * One constant failure for every defect of an envelope, so that an attacker who modifies it learns nothing.
 */
export const refuseUnreadable = (): Refusal<'vault.unreadable'> =>
  refuse('vault.unreadable', 'A sealed secret was modified, moved, or sealed with a missing key.');

interface EnvelopeStart {
  /**
   * Key and kind determine every byte before the nonce, so opening compares these bytes instead of parsing
   * them.
   */
  readonly start: Buffer;
  /** The additional data before the slot. */
  readonly additional: Uint8Array;
}

/** Nothing of it is secret. */
const envelopeStarts = new WeakMap<SealingKey, Partial<Record<EnvelopeKind, EnvelopeStart>>>();

function getEnvelopeStart(key: SealingKey, kind: EnvelopeKind): EnvelopeStart {
  let ofKey = envelopeStarts.get(key);
  if (!ofKey) envelopeStarts.set(key, (ofKey = {}));
  return (ofKey[kind] ??= createEnvelopeStart(key, kind));
}

function createEnvelopeStart(key: SealingKey, kind: EnvelopeKind): EnvelopeStart {
  const start = Buffer.alloc(NONCE_AT);
  start.set(MAGIC_AND_SUITE);
  start[MAGIC_AND_SUITE.length] = kinds[kind];
  start.set(key.id, KEY_ID_AT);
  start.writeUInt32BE(key.version, KEY_VERSION_AT);
  return { start, additional: lengthPrefixed(['swb-aad-1', start]) };
}

const encodeAdditionalData = (additional: Uint8Array, context: Uint8Array): Uint8Array =>
  lengthPrefixed([context], additional);

function computeCommitment(key: SealingKey, envelope: Buffer): Uint8Array {
  const committed = Buffer.allocUnsafe(COMMITMENT_AT + TAG_BYTES);
  envelope.copy(committed, 0, 0, COMMITMENT_AT);
  envelope.copy(committed, COMMITMENT_AT, envelope.length - TAG_BYTES);
  return sodium.crypto_generichash(COMMITMENT_BYTES, committed, key.commitment);
}

function decrypt(key: SealingKey, additional: Uint8Array, envelope: Buffer): Uint8Array | null {
  const nonce = envelope.subarray(NONCE_AT, COMMITMENT_AT);
  try {
    return sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(
      null,
      envelope.subarray(HEADER_BYTES),
      additional,
      nonce,
      key.encryption,
    );
  } catch {
    return null;
  }
}
