import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { WorkspaceId } from '@switchboard/domain';
import type { SealBinding } from '@switchboard/domain/ports';
import { repetitions } from '@switchboard/domain/testing';
import sodium from 'libsodium-wrappers';
import { openEnvelope, sealEnvelope } from './envelope.js';
import { encodeBinding } from './encode-binding.js';
import { sealingKey, type SealingKey } from './sealing-key.js';

const WORKSPACE = 'wsp_01j0000000000000000000000a' as WorkspaceId;
const OTHER_WORKSPACE = 'wsp_01j0000000000000000000000b' as WorkspaceId;
const BINDING: SealBinding = { table: 'credentials', row: 'con_1', field: 'access_token', generation: 3 };
const place = encodeBinding(WORKSPACE, BINDING);
const token = Buffer.from('canary-token-4711');

let root: Buffer;
let key: SealingKey;

beforeAll(async () => {
  await sodium.ready;
  root = randomBytes(32);
  key = sealingKey('data:a', 1, root);
});

const seal = (secret: Uint8Array = token) => sealEnvelope(key, 'record', place, secret);
const open = (sealed: Uint8Array) => openEnvelope(key, 'record', place, sealed);
const constantRefusal = () => open(new Uint8Array(0));

describe('an intact envelope', () => {
  test('opens to the same bytes at every length around the padding boundary, and at one megabyte', () => {
    for (const length of [...Array(100).keys(), 65_536, 1_048_576]) {
      const secret = randomBytes(length);
      const opened = open(seal(secret));
      expect(opened.ok && Buffer.compare(opened.value, secret)).toBe(0);
    }
  });

  test('opens from a slice of a larger buffer', () => {
    const sealed = seal();
    const larger = Buffer.concat([randomBytes(7), sealed, randomBytes(9)]);
    expect(open(larger.subarray(7, 7 + sealed.length)).ok).toBe(true);
  });

  test('opens with a key derived again from the same root', () => {
    expect(openEnvelope(sealingKey('data:a', 1, root), 'record', place, seal()).ok).toBe(true);
  });

  test('reveals neither the secret nor, within 32 bytes, its length', () => {
    expect(Buffer.from(seal()).includes(token)).toBe(false);
    expect(seal(randomBytes(1)).length).toBe(seal(randomBytes(31)).length);
    expect(seal(randomBytes(32)).length).toBe(seal(randomBytes(31)).length + 32);
  });

  test('begins with its documented header', () => {
    const sealed = Buffer.from(seal());
    expect(sealed.subarray(0, 8)).toEqual(Buffer.from('SWV1\x01\x01\x02\x00', 'latin1'));
    expect(sealed.readUInt32BE(24)).toBe(1);
    expect(sealed.readUInt32BE(84)).toBe(sealed.length - 88);
  });
});

describe('a modified envelope', () => {
  test('is rejected with one constant failure for every flipped bit', () => {
    const sealed = seal();
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Uint8Array.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(open(changed)).toEqual(constantRefusal());
    }
    expect(constantRefusal()).toMatchObject({ ok: false, failure: { code: 'vault.unreadable' } });
  });

  test('is rejected at every shorter length', () => {
    const sealed = seal();
    for (let length = 0; length < sealed.length; length++) {
      expect(open(sealed.subarray(0, length))).toEqual(constantRefusal());
      expect(open(sealed.subarray(sealed.length - length))).toEqual(constantRefusal());
    }
  });

  test('is rejected at every shorter length even with a corrected length field', () => {
    const sealed = seal();
    for (let length = 88; length < sealed.length; length++) {
      const shorter = Buffer.from(sealed.subarray(0, length));
      shorter.writeUInt32BE(length - 88, 84);
      expect(open(shorter)).toEqual(constantRefusal());
    }
  });

  test('is rejected with leading or trailing bytes, with or without a corrected length field', () => {
    for (const extra of [1, 2, 16, 32, 1000]) {
      for (const bytes of [Buffer.alloc(extra), randomBytes(extra)]) {
        const longer = Buffer.concat([seal(), bytes]);
        expect(open(longer)).toEqual(constantRefusal());
        longer.writeUInt32BE(longer.length - 88, 84);
        expect(open(longer)).toEqual(constantRefusal());
        expect(open(Buffer.concat([bytes, seal()]))).toEqual(constantRefusal());
      }
    }
  });

  test.each([
    ['another magic', 3, 0x32],
    ['an unknown format version', 4, 2],
    ['a format version of 0', 4, 0],
    ['the reserved suite', 5, 2],
    ['an unknown suite', 5, 255],
    ['an unknown kind', 6, 3],
    ['the kind of a wrapped data key', 6, 1],
    ['a flag', 7, 1],
  ])('is rejected with %s', (_what, at, value) => {
    const changed = Uint8Array.from(seal());
    changed[at] = value;
    expect(open(changed)).toEqual(constantRefusal());
  });

  test('is rejected immediately when its length field is huge', () => {
    for (const claimed of [0, 15, 0x7fff_ffff, 0xffff_ffff]) {
      const huge = Buffer.from(seal());
      huge.writeUInt32BE(claimed, 84);
      const before = process.memoryUsage();
      expect(open(huge)).toEqual(constantRefusal());
      const after = process.memoryUsage();
      expect(after.rss - before.rss).toBeLessThan(64 * 1024 * 1024);
      expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(1024 * 1024);
    }
  });

  test('is rejected when parts of two envelopes of the same slot are combined', () => {
    const [one, other] = [seal(Buffer.from('one')), seal(Buffer.from('two'))];
    for (const cut of [28, 52, 84, 88, one.length - 16]) {
      expect(open(Buffer.concat([one.subarray(0, cut), other.subarray(cut)]))).toEqual(
        cut === 28 ? { ok: true, value: new Uint8Array(Buffer.from('two')) } : constantRefusal(),
      );
    }
  });
});

describe('an envelope in the wrong slot', () => {
  const swaps: [string, WorkspaceId | null, Partial<SealBinding>][] = [
    ['workspace', OTHER_WORKSPACE, {}],
    ['workspace, the installation’s', null, {}],
    ['table', WORKSPACE, { table: 'connect_sessions' }],
    ['row', WORKSPACE, { row: 'con_2' }],
    ['field', WORKSPACE, { field: 'refresh_token' }],
    ['generation before', WORKSPACE, { generation: 2 }],
    ['generation after', WORKSPACE, { generation: 4 }],
    ['boundary between table and row', WORKSPACE, { table: 'credentialsc', row: 'on_1' }],
    ['boundary between row and field', WORKSPACE, { row: 'con_1a', field: 'ccess_token' }],
    ['boundary between field and generation', WORKSPACE, { field: 'access_token3', generation: 0 }],
  ];

  test.each(swaps)('is rejected: another %s', (_what, workspaceId, change) => {
    const elsewhere = encodeBinding(workspaceId, { ...BINDING, ...change });
    expect(openEnvelope(key, 'record', elsewhere, seal())).toEqual(constantRefusal());
    expect(open(sealEnvelope(key, 'record', elsewhere, token))).toEqual(constantRefusal());
  });

  test('is rejected: another key, key version, key name or kind', () => {
    for (const other of [
      sealingKey('data:a', 1, randomBytes(32)),
      sealingKey('data:a', 2, root),
      sealingKey('data:b', 1, root),
    ]) {
      expect(openEnvelope(other, 'record', place, seal())).toEqual(constantRefusal());
    }
    expect(openEnvelope(key, 'dataKey', place, seal())).toEqual(constantRefusal());
  });

  test('never has the bytes of another slot: ("ab", "c") is not ("a", "bc")', () => {
    const texts = ['', 'a', 'b', 'ab', 'bc', 'c', 'abc', '1', '\u0000', '\u0000\u0000\u0000\u0001'];
    const seen = new Set<string>();
    let places = 0;
    for (const workspace of [null, 'wsp_a', 'wsp_ab'] as (WorkspaceId | null)[]) {
      for (const table of texts)
        for (const row of texts)
          for (const field of texts)
            for (const generation of [0, 1, 11]) {
              places++;
              seen.add(
                Buffer.from(encodeBinding(workspace, { table, row, field, generation })).toString('hex'),
              );
            }
    }
    expect(seen.size).toBe(places);
  });

  test('rejects slot names that have no unique encoding', () => {
    expect(() => encodeBinding(WORKSPACE, { ...BINDING, row: '\ud800' })).toThrow('surrogate');
    for (const generation of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expect(() => encodeBinding(WORKSPACE, { ...BINDING, generation })).toThrow('generation');
    }
  });
});

test('commits to its key: a ciphertext with a valid commitment of another key is rejected', () => {
  // The attacker knows `theirs` and can write any bytes into the row, including the ID of our key.
  const theirs = { ...sealingKey('data:evil', 1, randomBytes(32)), id: key.id };
  const forged = sealEnvelope(theirs, 'record', place, token);
  expect(openEnvelope(theirs, 'record', place, forged).ok).toBe(true);
  expect(open(forged)).toEqual(constantRefusal());
  // The same encryption key without the commitment key: the cipher alone would open it.
  const half = sealEnvelope({ ...key, commitment: theirs.commitment }, 'record', place, token);
  expect(open(half)).toEqual(constantRefusal());
});

test('many seals of one secret have distinct nonces, commitments and ciphertexts', () => {
  const count = repetitions({ few: 20_000, many: 100_000 });
  const [nonces, commitments, ciphertexts] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (let at = 0; at < count; at++) {
    const sealed = Buffer.from(seal());
    nonces.add(sealed.toString('base64', 28, 52));
    commitments.add(sealed.toString('base64', 52, 84));
    ciphertexts.add(sealed.toString('base64', 88));
  }
  expect([nonces.size, commitments.size, ciphertexts.size]).toEqual([count, count, count]);
}, 60_000);

test('uses a distinct sub-key for every purpose', () => {
  const parts = [key.encryption, key.commitment, key.derivation, root].map((part) =>
    Buffer.from(part).toString('hex'),
  );
  expect(new Set(parts).size).toBe(4);
});
