import { randomBytes } from 'node:crypto';
import { ok, refuse, type Refusal, type Result } from '@switchboard/domain';
import { encodeBinding } from './encode-binding.js';
import type { MasterKeyProvider } from './master-keys.js';
import { byteReader, openStream, sealStream, type ByteReader } from './sealed-stream.js';

/**
 * The format of a backup: 8 bytes of magic, the length of the header (32 bits, big endian), the header as JSON, and
 * the sealed stream. The header is authenticated with every message of the stream.
 */
const MAGIC = Buffer.from('SWBACKUP', 'latin1');
const FORMAT = 1;
const KEY_BYTES = 32;
const HEADER_BYTES_MAX = 64 * 1024;

/** What can be read without the master key. */
export interface BackupHeader {
  readonly format: number;
  readonly id: string;
  readonly createdAt: string;
  /** The version of Switchboard that wrote it. */
  readonly version: string;
  readonly masterKeyId: string;
  /** The key of the stream, wrapped by the master key. In base64. */
  readonly wrappedKey: string;
}

export type BackupFailureCode = 'vault.unavailable' | 'vault.unreadable';

/** Seals a backup with a key of its own, which the newest master key wraps. */
export async function sealBackup(
  masterKeys: MasterKeyProvider,
  about: Pick<BackupHeader, 'createdAt' | 'version'>,
): Promise<Result<(source: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>, 'vault.unavailable'>> {
  const held = await masterKeys.list();
  if (!held.ok) return held;
  const [masterKeyId] = held.value;
  const id = randomBytes(16).toString('hex');
  const key = randomBytes(KEY_BYTES);
  const wrapped = await masterKeys.wrap(masterKeyId, key, encodeContext(id));
  if (!wrapped.ok) return wrapped;
  const wrappedKey = Buffer.from(wrapped.value).toString('base64');
  const header: BackupHeader = { format: FORMAT, id, ...about, masterKeyId, wrappedKey };
  const start = encodeHeader(header);
  return ok(async function* seal(source) {
    try {
      yield start;
      yield* sealStream(key, start, source);
    } finally {
      key.fill(0);
    }
  });
}

export interface OpenedBackup {
  readonly header: BackupHeader;
  /** Throws a `SealedStreamError` when the file was modified or cut off. */
  readonly content: AsyncGenerator<Uint8Array>;
}

/** Opens a backup, and refuses a file that is none, or whose master key is not held. */
export async function openBackup(
  masterKeys: MasterKeyProvider,
  file: AsyncIterable<Uint8Array>,
): Promise<Result<OpenedBackup, BackupFailureCode>> {
  const reader = byteReader(file);
  const found = await readHeader(reader).catch(() => null);
  if (!found) return refuse('vault.unreadable', 'The file is not a backup of Switchboard.');
  const { header, start } = found;
  if (header.format !== FORMAT)
    return refuse(
      'vault.unreadable',
      `The backup was made by Switchboard ${header.version}, whose format this version does not know. Restore it with that version or a newer one.`,
    );
  const held = await masterKeys.list();
  if (!held.ok) return held;
  if (!held.value.includes(header.masterKeyId)) return refuseMissingKey(header.masterKeyId);
  const wrapped = Buffer.from(header.wrappedKey, 'base64');
  const key = await masterKeys.unwrap(header.masterKeyId, wrapped, encodeContext(header.id));
  if (!key.ok && key.failure.code === 'vault.unavailable') return key;
  if (!key.ok || key.value.length !== KEY_BYTES)
    return refuse(
      'vault.unreadable',
      `The backup cannot be opened: the master key ${JSON.stringify(header.masterKeyId)} of this installation is another one than the key that sealed it, or the beginning of the file was modified.`,
    );
  return ok({ header, content: openStream(key.value, start, reader.rest()) });
}

const refuseMissingKey = (masterKeyId: string): Refusal<'vault.unreadable'> =>
  refuse(
    'vault.unreadable',
    `The backup is sealed with the master key ${JSON.stringify(masterKeyId)}, which this installation does not have. Provide it in SWITCHBOARD_MASTER_KEYS, besides newer ones.`,
  );

const encodeContext = (id: string) =>
  encodeBinding(null, { table: 'backups', row: id, field: 'key', generation: 0 });

function encodeHeader(header: BackupHeader): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([MAGIC, length, json]);
}

async function readHeader(reader: ByteReader) {
  const prefix = await reader.read(MAGIC.length + 4);
  const length = prefix.readUInt32BE(MAGIC.length);
  if (!prefix.subarray(0, MAGIC.length).equals(MAGIC) || length > HEADER_BYTES_MAX) return null;
  const json = await reader.read(length);
  return {
    start: Buffer.concat([prefix, json]),
    header: parseHeader(JSON.parse(json.toString('utf8'))),
  };
}

/** The header is authenticated only with the stream. */
function parseHeader(value: unknown): BackupHeader {
  const { format, id, createdAt, version, masterKeyId, wrappedKey } = value as BackupHeader;
  const texts = [id, createdAt, version, masterKeyId, wrappedKey];
  if (typeof format !== 'number' || texts.some((text) => typeof text !== 'string'))
    throw new Error('a field of the header is missing');
  return { format, id, createdAt, version, masterKeyId, wrappedKey };
}
