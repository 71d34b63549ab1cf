import { ok, type Result } from '@switchboard/domain';
import type { WrappedDataKey } from '@switchboard/domain/ports';
import { refuseUnreadable } from './envelope.js';
import type { MasterKeyProvider } from './master-keys.js';
import { encodeBinding } from './encode-binding.js';

export const DATA_KEY_BYTES = 32;

/** The context of a data key: its workspace, or the installation, and its version. */
export const encodeDataKeyContext = ({
  workspaceId,
  version,
}: Pick<WrappedDataKey, 'workspaceId' | 'version'>): Uint8Array =>
  encodeBinding(workspaceId, {
    table: 'data_keys',
    row: workspaceId ?? '',
    field: 'wrapped',
    generation: version,
  });

/** The caller wipes the returned key. */
export async function unwrapDataKey(
  masterKeys: Pick<MasterKeyProvider, 'unwrap'>,
  key: WrappedDataKey,
): Promise<Result<Uint8Array, 'vault.unavailable' | 'vault.unreadable'>> {
  const dataKey = await masterKeys.unwrap(key.masterKeyId, key.wrapped, encodeDataKeyContext(key));
  if (!dataKey.ok) return dataKey;
  return dataKey.value.length === DATA_KEY_BYTES ? ok(dataKey.value) : refuseUnreadable();
}
