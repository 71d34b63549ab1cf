import { hkdfSync } from 'node:crypto';
import { ok, Secret, type WorkspaceId } from '@switchboard/domain';
import type { UnlockedVault } from '@switchboard/domain/ports';
import { openEnvelope, sealEnvelope } from './envelope.js';
import { encodeBinding } from './encode-binding.js';
import type { SealingKey } from './sealing-key.js';

/** Seals and opens secrets with one workspace's data key. */
export const unlockedVault = (workspaceId: WorkspaceId | null, key: SealingKey): UnlockedVault => ({
  seal(binding, secret) {
    const text = secret.reveal();
    if (!text.isWellFormed()) throw new Error('a secret with an unpaired surrogate cannot be restored');
    const bytes = Buffer.from(text, 'utf8');
    const sealed = sealEnvelope(key, 'record', encodeBinding(workspaceId, binding), bytes);
    bytes.fill(0);
    return sealed;
  },

  open(binding, sealed) {
    const opened = openEnvelope(key, 'record', encodeBinding(workspaceId, binding), sealed);
    if (!opened.ok) return opened;
    const { buffer, byteOffset, length } = opened.value;
    const secret = new Secret(Buffer.from(buffer, byteOffset, length).toString('utf8'));
    opened.value.fill(0);
    return ok(secret);
  },

  derive: (purpose) => new Uint8Array(hkdfSync('sha256', key.derivation, '', `swb-derive-1:${purpose}`, 32)),
});
