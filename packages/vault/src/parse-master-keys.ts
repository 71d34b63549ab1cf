import { ok, refuse, type Result, type Secret } from '@switchboard/domain';

interface MasterKey {
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

export type MasterKeys = readonly [newest: MasterKey, ...older: MasterKey[]];

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;
/** A comma with surrounding white space, or line ends: an empty line is not a missing key. */
const SEPARATOR = /\s*,\s*|\s*\n\s*/;
const HEX_OF_32_BYTES = /^[0-9a-fA-F]{64}$/;

/**
 * Parses `id:base64` entries separated by commas or line ends, newest first. Errors name the position of a
 * key only: the text in place of the ID may be the key itself.
 */
export function parseMasterKeys(source: string, text: Secret): Result<MasterKeys, 'vault.unavailable'> {
  const keys: MasterKey[] = [];
  for (const [index, entry] of text.reveal().trim().split(SEPARATOR).entries()) {
    const read = parseMasterKey(entry.trim());
    if (typeof read === 'string') return refuse('vault.unavailable', `${source}: key ${index + 1} ${read}.`);
    const duplicateIndex = keys.findIndex(
      (key) => key.id === read.id || Buffer.compare(key.bytes, read.bytes) === 0,
    );
    if (duplicateIndex >= 0) {
      const what =
        keys[duplicateIndex]?.id === read.id ? 'have the same id' : 'are the same key under two ids';
      return refuse('vault.unavailable', `${source}: keys ${duplicateIndex + 1} and ${index + 1} ${what}.`);
    }
    keys.push(read);
  }
  const [newest, ...older] = keys;
  if (!newest) throw new Error('splitting a text gives at least one part');
  return ok([newest, ...older]);
}

function parseMasterKey(entry: string): MasterKey | string {
  if (entry === '') return 'is empty; use id:base64, newest first, separated by commas';
  const colon = entry.indexOf(':');
  if (colon < 0) return 'has no id; use id:base64';
  const id = entry.slice(0, colon);
  const encoded = entry.slice(colon + 1);
  if (!ID.test(id)) return 'has an id that is not 1 to 32 letters, digits, dots, dashes or underscores';
  if (HEX_OF_32_BYTES.test(encoded)) return 'is in hex; encode its 32 bytes as base64';
  const bytes = Buffer.from(encoded, 'base64');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return 'is not in base64';
  if (bytes.length !== 32) return `has ${bytes.length} bytes instead of 32`;
  if (!BASE64_OF_32_BYTES.test(encoded) || bytes.toString('base64') !== encoded)
    return 'is not in canonical base64';
  return { id, bytes };
}
