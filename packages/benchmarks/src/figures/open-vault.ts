import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Secret, type WorkspaceId } from '@switchboard/domain';
import type { SealBinding } from '@switchboard/domain/ports';
import { environmentMasterKeys, sodiumVault } from '@switchboard/vault';
import sodium from 'libsodium-wrappers';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { compare } from '../support/compare.js';

const ROUNDS = 7;
const OPENED = 20_000;
const TOKEN_BYTES = 1024;

/** Opening a sealed token, compared with libsodium's own decryption of as many bytes. */
export async function openVault(): Promise<readonly BenchmarkResult[]> {
  await sodium.ready;
  const token = randomBytes(TOKEN_BYTES / 2).toString('hex');
  const ours = await sealedByTheVault(token);
  const theirs = sealedBySodium(token);
  const comparison = await compare(
    async () => perSecond(ours),
    async () => perSecond(theirs),
    ROUNDS,
  );
  return [
    toBenchmarkResult({
      figure: 'vault, open a sealed token of 1 KB',
      value: comparison.ours,
      unit: 'tokens per second',
      reach: { at_least: 0.5 },
      comparedWith: {
        what: "libsodium-wrappers' own decrypt",
        value: comparison.theirs,
        ratio: comparison.ratio,
      },
    }),
  ];
}

function perSecond(open: () => void): number {
  const beganMs = performance.now();
  for (let opened = 0; opened < OPENED; opened += 1) open();
  return (OPENED * 1000) / (performance.now() - beganMs);
}

async function sealedByTheVault(token: string): Promise<() => void> {
  const masterKeys = await environmentMasterKeys(new Secret(`m1:${randomBytes(32).toString('base64')}`));
  if (!masterKeys.ok) throw new Error(masterKeys.failure.message);
  const workspaceId = 'wsp_bench' as WorkspaceId;
  const clock = { now: () => new Date() };
  const keyGenerator = await sodiumVault({
    masterKeys: masterKeys.value,
    dataKeys: { find: async () => null },
    clock,
  });
  const generated = await keyGenerator.generateDataKey(workspaceId);
  if (!generated.ok) throw new Error(generated.failure.message);
  const dataKeys = { find: async () => generated.value };
  const vault = await (
    await sodiumVault({ masterKeys: masterKeys.value, dataKeys, clock })
  ).unlock(workspaceId);
  if (!vault.ok) throw new Error(vault.failure.message);
  const binding: SealBinding = { table: 'credentials', row: 'con_bench', field: 'sealed', generation: 1 };
  const sealed = vault.value.seal(binding, new Secret(token));
  return () => {
    const opened = vault.value.open(binding, sealed);
    if (!opened.ok || opened.value.reveal() !== token) throw new Error('the vault returned another text');
  };
}

function sealedBySodium(token: string): () => void {
  const [key, nonce, context] = [
    randomBytes(32),
    randomBytes(24),
    'wsp_bench credentials con_bench sealed 1',
  ];
  const sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(token, context, null, nonce, key);
  return () => {
    const opened = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, sealed, context, nonce, key);
    if (opened.length !== token.length) throw new Error('libsodium returned another text');
  };
}
