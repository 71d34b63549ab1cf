import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import sodium from 'libsodium-wrappers';
import { sealingKey } from './sealing-key.js';

test('wipes its sub-keys once the key is unreachable, and not before', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  await sodium.ready;
  const wiped = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

  const held = sealingKey('held', 1, randomBytes(32));
  const forgotten = (({ encryption, commitment, derivation }) => [encryption, commitment, derivation])(
    sealingKey('forgotten', 1, randomBytes(32)),
  );
  expect(forgotten.some(wiped)).toBe(false);
  for (let round = 0; round < 100 && !forgotten.every(wiped); round++) {
    collectGarbage();
    await setImmediate();
  }
  expect(forgotten.every(wiped)).toBe(true);
  expect([held.encryption, held.commitment, held.derivation].some(wiped)).toBe(false);
});
