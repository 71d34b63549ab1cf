import { refuse } from '../../src/failure.js';
import type { SealBinding, UnlockedVault, Vault } from '../../src/ports/index.js';
import { ok } from '../../src/result.js';
import { Secret } from '../../src/secret.js';

/** Seals for one location without encryption: opening elsewhere, or after a change, fails as unreadable. */
export function plaintextVault(): Vault & { available: boolean } {
  const vault = {
    available: true,
    async generateDataKey(workspaceId) {
      if (!vault.available) return vaultLocked();
      return ok({ workspaceId, version: 1, masterKeyId: 'plain', wrapped: new Uint8Array([1]) });
    },
    async unlock(workspaceId) {
      return vault.available ? ok(unlockedVault(String(workspaceId))) : vaultLocked();
    },
  } as Vault & { available: boolean };
  return vault;
}

const vaultLocked = () => refuse('vault.unavailable', 'The vault is locked.');

function unlockedVault(workspaceId: string): UnlockedVault {
  const bindingKey = ({ table, row, field, generation }: SealBinding) =>
    JSON.stringify([workspaceId, table, row, field, generation]);
  return {
    seal: (binding, secret) =>
      new TextEncoder().encode(JSON.stringify({ place: bindingKey(binding), secret: secret.reveal() })),
    open(binding, sealed) {
      const { place, secret } = JSON.parse(new TextDecoder().decode(sealed)) as {
        place: string;
        secret: string;
      };
      return place === bindingKey(binding)
        ? ok(new Secret(secret))
        : refuse('vault.unreadable', 'It was sealed for another location.');
    },
    derive: () => new Uint8Array(32),
  };
}
